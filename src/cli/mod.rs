//! The command line: raw arguments turned once into settings, one file per command, exit codes.

mod built;
mod exit;
mod format;
#[cfg(feature = "measure")]
mod measuring;
mod mixing;
mod objected;
mod out;
mod outputs;
mod progress;
mod rows;
mod session;
mod sources;

use std::process::ExitCode;

use clap::{ColorChoice, Parser, Subcommand};
#[cfg(target_os = "linux")]
use nix::sys::signal::{SigSet, Signal};

pub use exit::Exit;

use out::tell;

/// Measures what initializing and resetting a Wasm contract's memory costs, and proposes the fee.
#[derive(Debug, Parser)]
#[command(name = "estimator", version, about, max_term_width = 100)]
#[command(long_version = built::LONG_VERSION.as_str(), after_help = built::after_help())]
struct Cli {
    /// When to colour the output; `NO_COLOR` is respected too
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

/// Declares the file of each command, which has its arguments and `execute`, and the feature without which it is not built.
macro_rules! commands {
    ($($file:ident::$Command:ident $(if $feature:literal)?),+ $(,)?) => {
        $($(#[cfg(feature = $feature)])? mod $file;)+

        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[cfg(feature = $feature)])? $Command(Box<$file::$Command>)),+
        }

        impl Command {
            fn execute(&self) -> anyhow::Result<Exit> {
                match self {
                    $($(#[cfg(feature = $feature)])? Self::$Command(args) => $file::execute(args)),+
                }
            }
        }

        /// The commands that need a feature, with it.
        const FEATURED: &[(&str, &str)] = &[$($((stringify!($file), $feature),)?)+];
    };
}

commands! {
    init::Init,
    run::Run if "measure",
    compile::Compile,
    fit::Fit,
    compare::Compare,
    diff::Diff,
    report::Report,
    promote::Promote,
    reference::Reference,
    export::Export,
    noise::Noise if "measure",
    survey::Survey,
    price::Price,
    verify::Verify if "measure",
    host::Host,
    nightly::Nightly if "measure",
    history::History,
    serve::Serve if "serve",
    push::Push if "measure",
    completions::Completions,
}

/// Runs the command that the process was started with, or does the work that it was started for as a worker.
#[must_use]
pub fn main() -> ExitCode {
    #[cfg(feature = "measure")]
    crate::app::serve_if_worker();
    // A file beyond a limit (`ulimit -f`) is an error like a full disk, and no sudden end.
    #[cfg(target_os = "linux")]
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
    let cli = Cli::try_parse().unwrap_or_else(|error| built::refuse(&error));
    match cli.color {
        ColorChoice::Auto => {}
        ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
    match cli.command.execute() {
        Ok(exit) => exit.into(),
        Err(error) => {
            let mut said = error.to_string();
            tell!("error: {said}");
            for cause in error.chain().skip(1).map(ToString::to_string) {
                if !said.contains(&cause) {
                    tell!("  because: {cause}");
                    said = cause;
                }
            }
            exit::of(&error).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// Clap wraps no line that holds a command, and a terminal that does makes two of it.
    #[test]
    fn examples_of_a_help_can_be_taken_from_a_terminal_of_80_columns() {
        fn check(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter(|line| line.starts_with("  estimator") || line.starts_with("      ")) {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }

    /// A line that is broken by hand is broken again where the terminal is narrower, and leaves a word or two by themselves.
    #[test]
    fn helps_fit_80_columns_and_only_clap_breaks_their_lines() {
        fn check(command: &mut clap::Command) {
            let name = command.get_name().to_owned();
            let help = command.clone().term_width(80).render_long_help().to_string();
            for line in help.lines() {
                assert!(line.chars().count() <= 80, "{name}: {line}");
            }
            let texts = [command.get_after_help(), command.get_long_about(), command.get_about()];
            for text in texts.into_iter().flatten().map(ToString::to_string) {
                let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ') && !line.ends_with(':');
                let lines: Vec<&str> = text.lines().collect();
                let broken = lines.windows(2).find(|two| two.iter().all(|line| is_prose(line)));
                assert!(broken.is_none(), "{name}: {broken:?}");
            }
            command.get_subcommands_mut().for_each(check);
        }
        let mut command = Cli::command();
        command.build();
        check(&mut command);
    }
}
