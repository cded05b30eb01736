use std::path::Path;

use anyhow::Context;
use clap::Args;

use crate::cli::exit::{Exit, UsageError};
use crate::cli::format::ShortFormat;
use crate::cli::out;
use crate::history::{Access, History, Selection};
use crate::report::{pages, render};

/// Shows one run: settings, figures with intervals, what the gate said of its night
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator history show 20261130T163858Z-seed1012761478")]
pub struct Show {
    /// Name of the run, that of its folder
    run: String,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(file: &Path, args: &Show) -> anyhow::Result<Exit> {
    let history = History::open(file, Access::Read)?;
    let name = args.run.trim_end_matches('/').rsplit('/').next().context("no run is named")?;
    let records = history.records(&Selection { run: Some(name.into()), ..Selection::default() })?;
    let Some(record) = records.first() else {
        return Err(
            UsageError(format!("{} has no run {name}: `estimator history list` names them", file.display())).into()
        );
    };
    match args.format {
        ShortFormat::Human => out::show(&render::terminal(&pages::history::record(record)))?,
        ShortFormat::Json => out::json(record)?,
    }
    Ok(Exit::Fine)
}
