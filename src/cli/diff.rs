use std::path::PathBuf;

use clap::Args;

use super::compare::percent;
use super::exit::{Exit, UsageError};
use super::format::Format;
use super::out;
use super::session::in_session;
use crate::app::{self, DiffRequest, TableSource};
use crate::params::Verdict;
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
  estimator diff v1.2:params/current.toml params/current.toml --threshold 2 \\
      --exit-code")]
pub struct Diff {
    /// The table in force and the proposed one, or only the latter with --base
    #[arg(value_name = "TABLE", required = true, num_args = 1..=2)]
    tables: Vec<PathBuf>,
    /// Compare FILE with itself as it was in this git revision
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Smallest change of practical interest, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    threshold: f64,
    /// Exit with 3 on a change beyond the threshold, with 4 if unsure, and with 6 if the two are not comparable
    #[arg(long)]
    exit_code: bool,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

pub fn execute(args: &Diff) -> anyhow::Result<Exit> {
    let (old, new) = sides(args)?;
    let request = DiffRequest { old, new, threshold: args.threshold };
    let tables = in_session(|session| app::diff(&request, session))?;
    let found = tables.diff()?;
    match args.format {
        Format::Human => out::show(&render::terminal(&pages::params_diff::page(&found)))?,
        Format::Markdown => out::data(&render::markdown(&pages::params_diff::page(&found)))?,
        Format::Json => out::json(&pages::params_diff::json(&found))?,
    }
    Ok(match found.verdict() {
        Verdict::Changed if args.exit_code => Exit::Changed,
        Verdict::Unsure if args.exit_code => Exit::Noisy,
        Verdict::NotComparable if args.exit_code => Exit::Incompatible,
        _ => Exit::Fine,
    })
}

fn sides(args: &Diff) -> Result<(TableSource, TableSource), UsageError> {
    match (&args.base, &args.tables[..]) {
        (Some(revision), [file]) if file.is_dir() => {
            let file = file.display();
            Err(UsageError(format!("{file} is a run, which git does not keep: compare {revision}:FILE with it")))
        }
        (Some(revision), [file]) => {
            let old = TableSource::Revision { revision: revision.clone(), file: file.clone() };
            Ok((old, file.into()))
        }
        (None, [old, new]) => Ok((old.into(), new.into())),
        (Some(_), _) => Err(UsageError("with --base there is only one table to name".to_owned())),
        (None, _) => Err(UsageError("name two tables, or one and --base REV".to_owned())),
    }
}
