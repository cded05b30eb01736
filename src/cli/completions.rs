use std::io;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::exit::Exit;

/// Prints shell completions, or the manual page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator completions bash > /etc/bash_completion.d/estimator
  estimator completions --man > estimator.1")]
pub struct Completions {
    /// The shell
    #[arg(value_enum, required_unless_present = "man")]
    shell: Option<Shell>,
    /// The manual page in roff instead
    #[arg(long, conflicts_with = "shell")]
    man: bool,
}

pub fn execute(args: &Completions) -> anyhow::Result<Exit> {
    let mut command = super::Cli::command();
    let mut out = io::stdout().lock();
    match args.shell {
        Some(shell) => clap_complete::generate(shell, &mut command, "estimator", &mut out),
        None => clap_mangen::Man::new(command).render(&mut out)?,
    }
    Ok(Exit::Fine)
}
