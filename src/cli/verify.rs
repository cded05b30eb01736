use std::io;
use std::path::PathBuf;

use clap::Args;
use jiff::SignedDuration;

use super::exit::Exit;
use super::out::{self, tell};
use super::price::CURRENT;
use super::rows::{Failures, TableFormat};
use super::session::in_session;
use crate::app::{self, VerifyOutcome, VerifyRequest};
use crate::measure::Plan;
use crate::report::{Verification, pages, render};

/// Measures real contracts and holds them against their charge: which of them cost more than they pay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator verify --params params/current.toml contracts/
  estimator verify --params params/current.toml 'near/*.wasm' --budget 5m \\
      --format json

Each contract is instantiated with its imports stubbed to trap, every byte of its memory is written from the host, and the \
instance is dropped, in cold caches and in several processes, as `run` does with synthetic ones. Start functions run under a \
limit. Exit code 3: a contract costs more than its charge before the safety factor, its whole interval above it.")]
pub struct Verify {
    /// Table of parameters
    #[arg(long, value_name = "FILE", default_value = CURRENT)]
    params: PathBuf,
    /// Files (also gzip), folders of .wasm and .wasm.gz files, patterns, or - for a list on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How long to measure; each of 16 processes measures every contract three times at least, however long that takes: for
    /// hundreds of contracts some minutes
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = Plan::budget_of)]
    budget: SignedDuration,
    /// Seed of every shuffle and resample [default: a new one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: TableFormat,
}

pub fn execute(args: &Verify) -> anyhow::Result<Exit> {
    let (budget, seed) = (args.budget, args.seed);
    let request = VerifyRequest { budget, seed, ..VerifyRequest::new(&args.params, args.paths.clone()) };
    let outcome = in_session(|session| app::verify(&request, io::stdin().lock(), session))?;
    let VerifyOutcome::Measured(found) = outcome else {
        tell!("interrupted; nothing was kept");
        return Ok(Exit::Failed);
    };
    print(args.format, &found.verification)?;
    let failures = Failures { broken: found.broken, missing: found.missing };
    failures.say(found.named);
    Ok(match failures.exit() {
        _ if found.is_any_over() => Exit::Changed,
        Exit::Fine if found.verification.charged.is_none() => Exit::Failed,
        exit => exit,
    })
}

fn print(format: TableFormat, found: &Verification) -> anyhow::Result<()> {
    match format {
        TableFormat::Human | TableFormat::Markdown => {
            out::put(format.kind(), &format.document(&pages::verify::page(found))).map(|_| ())
        }
        TableFormat::Csv => out::data(&render::csv(pages::verify::rows(found))?),
        TableFormat::Json => out::json(&pages::verify::json(found)),
    }
}
