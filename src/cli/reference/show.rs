use std::path::PathBuf;

use clap::Args;

use crate::app::named_reference;
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::out;
use crate::report::{pages, render};

/// Shows the machine that fees are stated on
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator reference show
  estimator reference show --reference params/other.toml --format json")]
pub struct Show {
    /// The reference [default: params/reference.toml if it is there, otherwise the shipped one]
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(args: &Show) -> anyhow::Result<Exit> {
    let reference = named_reference(args.reference.as_deref())?;
    match args.format {
        ShortFormat::Human => out::show(&render::terminal(&pages::reference::page(&reference)))?,
        ShortFormat::Json => out::json(&serde_json::to_value(&reference)?)?,
    }
    Ok(Exit::Fine)
}
