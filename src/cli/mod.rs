//! The command line: raw arguments turned once into settings, one file per command, exit codes.

mod exit;
mod format;
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

pub use exit::Exit;

use out::tell;

use crate::app;

const AFTER_HELP: &str = "\
Examples:
  estimator run --contracts estimator-contracts
  estimator fit reports/latest

Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 a gated value changed, 4 too noisy to say, 5 the fit was rejected,
6 incompatible files, machines or contract sets.";

/// Measures what initializing and resetting a Wasm contract's memory costs, and proposes the fee.
#[derive(Debug, Parser)]
#[command(name = "estimator", version, about, after_help = AFTER_HELP, max_term_width = 100)]
struct Cli {
    /// When to colour the output; `NO_COLOR` is respected too
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

/// Declares the file of each command, which has its arguments and `execute`.
macro_rules! commands {
    ($($file:ident::$Command:ident),+ $(,)?) => {
        $(mod $file;)+

        #[derive(Debug, Subcommand)]
        enum Command {
            $($Command(Box<$file::$Command>)),+
        }

        impl Command {
            fn execute(&self) -> anyhow::Result<Exit> {
                match self {
                    $(Self::$Command(args) => $file::execute(args)),+
                }
            }
        }
    };
}

commands! {
    init::Init,
    run::Run,
    compile::Compile,
    fit::Fit,
    compare::Compare,
    diff::Diff,
    report::Report,
    promote::Promote,
    reference::Reference,
    export::Export,
    noise::Noise,
    survey::Survey,
    price::Price,
    verify::Verify,
    host::Host,
    nightly::Nightly,
    history::History,
    serve::Serve,
    push::Push,
    completions::Completions,
}

/// Runs the command that the process was started with, or does the work that it was started for as a worker.
#[must_use]
pub fn main() -> ExitCode {
    app::serve_if_worker();
    let cli = Cli::parse();
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
