use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::exit::Exit;
use super::out;

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
    // Into memory first: clap_complete panics where it cannot write.
    let mut text = Vec::new();
    match args.shell {
        Some(shell) => clap_complete::generate(shell, &mut command, "estimator", &mut text),
        None => clap_mangen::Man::new(command).render(&mut text)?,
    }
    out::data(&String::from_utf8(text)?)?;
    Ok(Exit::Fine)
}
