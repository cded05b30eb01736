use std::path::PathBuf;

use clap::Args;

use crate::app::{self, PinRequest};
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::out::{self, tell};
use crate::cli::session::in_session;
use crate::report::{pages, render};

/// Makes the reference of several quiet runs of one machine, hours apart
///
/// Every fee that is stated on it changes with it, so it is for review as a table is. Runs that are too noisy, or slower than the
/// others as beside a steady neighbour, are refused with exit code 4.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator reference pin reports/monday reports/tuesday reports/wednesday
  estimator reference pin reports/latest --name our-validator \\
      --out params/reference.toml")]
pub struct Pin {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The name that tables will carry [default: the machine class and the day]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "params/reference.toml")]
    out: PathBuf,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(args: &Pin) -> anyhow::Result<Exit> {
    let Pin { runs, name, out, .. } = args;
    let request = PinRequest { runs: runs.clone(), name: name.clone(), out: out.clone() };
    let pinned = in_session(|session| app::pin(&request, session))?;
    match args.format {
        ShortFormat::Human => out::show(&render::terminal(&pages::reference::page(&pinned)))?,
        ShortFormat::Json => out::json(&serde_json::to_value(&pinned)?)?,
    }
    tell!("pinned in {}; runs that are made from now on are stated on it", out.display());
    Ok(Exit::Fine)
}
