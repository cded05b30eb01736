//! The command line: raw arguments turned once into settings, one file per command, exit codes.

mod compare;
mod compile;
mod completions;
mod diff;
mod exit;
mod export;
mod fit;
mod format;
mod history;
mod host;
mod measuring;
mod mixing;
mod nightly;
mod noise;
mod objected;
mod out;
mod outputs;
mod price;
mod progress;
mod promote;
mod reference;
mod report;
mod rows;
mod run;
mod session;
mod sources;
mod survey;
mod verify;

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

#[derive(Debug, Subcommand)]
enum Command {
    Run(Box<run::Run>),
    Compile(compile::Compile),
    Fit(fit::Fit),
    Compare(compare::Compare),
    Diff(diff::Diff),
    Report(report::Report),
    Promote(promote::Promote),
    Reference(reference::ReferenceArgs),
    Export(export::ExportArgs),
    #[command(name = "noise")]
    Noise(Box<noise::NoiseArgs>),
    Survey(survey::Survey),
    Price(price::Price),
    Verify(Box<verify::Verify>),
    Host(host::HostArgs),
    Nightly(Box<nightly::Nightly>),
    History(history::History),
    Completions(completions::Completions),
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
    let result = match cli.command {
        Command::Run(args) => run::execute(&args),
        Command::Compile(args) => compile::execute(&args),
        Command::Fit(args) => fit::execute(&args),
        Command::Compare(args) => compare::execute(&args),
        Command::Diff(args) => diff::execute(&args),
        Command::Report(args) => report::execute(&args),
        Command::Promote(args) => promote::execute(&args),
        Command::Reference(args) => reference::execute(&args),
        Command::Export(args) => export::execute(&args),
        Command::Noise(args) => noise::execute(&args),
        Command::Price(args) => price::execute(&args),
        Command::Verify(args) => verify::execute(&args),
        Command::Survey(args) => survey::execute(&args),
        Command::Completions(args) => completions::execute(&args),
        Command::Host(args) => host::execute(&args),
        Command::Nightly(args) => nightly::execute(&args),
        Command::History(args) => history::execute(&args),
    };
    match result {
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
