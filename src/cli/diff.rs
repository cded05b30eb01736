use std::path::{Path, PathBuf};

use clap::Args;

use super::compare::percent;
use super::exit::{Exit, UsageError};
use super::format::Format;
use super::out::show;
use crate::params::{ParamTable, Verdict, diff};
use crate::report::{diff_json, diff_markdown, diff_terminal};

/// Compares two parameter tables for a reviewer: what changed, whether it is real, and what a call would pay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator diff params/current.toml params/proposed.toml
  estimator diff params/current.toml params/proposed.toml --threshold 2 --exit-code")]
pub struct Diff {
    /// The table in force
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The table that is proposed
    #[arg(value_name = "NEW")]
    new: PathBuf,
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
    let (old, new) = (table(&args.old)?, table(&args.new)?);
    let found = diff(&old, &new, args.threshold / 100.0)?;
    match args.format {
        Format::Human => show(&diff_terminal(&found))?,
        Format::Markdown => show(&diff_markdown(&found))?,
        Format::Json => show(&(serde_json::to_string_pretty(&diff_json(&found))? + "\n"))?,
    }
    Ok(match found.verdict() {
        Verdict::Changed if args.exit_code => Exit::Changed,
        Verdict::Unsure if args.exit_code => Exit::Noisy,
        _ => Exit::Fine,
    })
}

/// The table in this file.
pub fn table(file: &Path) -> anyhow::Result<ParamTable> {
    if !file.is_file() {
        return Err(
            UsageError(format!("no table {}: `estimator run` writes params/proposed.toml", file.display())).into()
        );
    }
    Ok(ParamTable::load(file)?)
}
