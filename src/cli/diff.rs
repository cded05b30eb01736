use std::path::Path;

use clap::Args;

use super::compare::percent;
use super::exit::{Exit, UsageError};
use super::format::Format;
use super::out;
use super::tables::{self, Sourced};
use crate::params::{Verdict, diff};
use crate::report::{pages, render};

/// Compares two parameter tables for a reviewer: what changed, whether it is real, and what a call would pay
///
/// A table is a file, a run folder, which is fitted, or a file in a git revision, REV:FILE.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator diff params/current.toml params/proposed.toml
  estimator diff params/current.toml reports/latest
  estimator diff --base origin/main params/current.toml --format markdown
  estimator diff v1.2:params/current.toml params/current.toml --threshold 2 --exit-code")]
pub struct Diff {
    /// The table in force and the proposed one, or only the latter with --base
    #[arg(value_name = "TABLE", required = true, num_args = 1..=2)]
    tables: Vec<String>,
    /// Compare FILE with itself as it was in this git revision
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Smallest change of practical interest, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    threshold: f64,
    /// Exit with 3 on a change beyond the threshold and with 4 if unsure
    #[arg(long)]
    exit_code: bool,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

pub fn execute(args: &Diff) -> anyhow::Result<Exit> {
    let (old, new) = sides(args)?;
    let found = diff(&old.table, &new.table, args.threshold / 100.0)?;
    match args.format {
        Format::Human => out::show(&render::terminal(&pages::params_diff::page(&found)))?,
        Format::Markdown => out::data(&render::markdown(&pages::params_diff::page(&found)))?,
        Format::Json => out::json(&pages::params_diff::json(&found))?,
    }
    Ok(match found.verdict() {
        Verdict::Changed if args.exit_code => Exit::Changed,
        Verdict::Unsure if args.exit_code => Exit::Noisy,
        _ => Exit::Fine,
    })
}

fn sides(args: &Diff) -> anyhow::Result<(Sourced, Sourced)> {
    match (&args.base, &args.tables[..]) {
        (Some(revision), [file]) if Path::new(file).is_dir() => {
            Err(UsageError(format!("{file} is a run, which git does not keep: compare {revision}:FILE with it")).into())
        }
        (Some(revision), [file]) => Ok((tables::at(revision, Path::new(file))?, tables::usable(file)?)),
        (None, [old, new]) => {
            let (old, new) = rayon::join(|| tables::usable(old), || tables::usable(new));
            Ok((old?, new?))
        }
        (Some(_), _) => Err(UsageError("with --base there is only one table to name".to_owned()).into()),
        (None, _) => Err(UsageError("name two tables, or one and --base REV".to_owned()).into()),
    }
}
