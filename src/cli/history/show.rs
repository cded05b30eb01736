use std::path::Path;

use clap::Args;

use crate::app::gas_unit;
use crate::app::history::show;
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::out;
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
    let record = show(file, &args.run)?;
    match args.format {
        ShortFormat::Human => {
            let page = pages::history::record(&record, gas_unit().as_ref());
            out::show(&render::terminal(&page))?;
        }
        ShortFormat::Json => out::json(&record)?,
    }
    Ok(Exit::Fine)
}
