use clap::Args;

use super::exit::Exit;
use super::format::ShortFormat;
use super::out;
use crate::app;
use crate::host::{Fingerprint, Hazard};
use crate::report::{pages, render};

/// Shows the machine: its fingerprint, what makes its times noisy, and the commands that would quiet it; changes nothing
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator host
  estimator host --format json | jq '.hazards[] | select(.state == \"yes\")'")]
pub struct Host {
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(args: &Host) -> anyhow::Result<Exit> {
    let host = app::host();
    match args.format {
        ShortFormat::Human => out::show(&render::terminal(&pages::host::page(&host)))?,
        ShortFormat::Json => out::json(&json(&host.fingerprint, &host.hazards))?,
    }
    Ok(Exit::Fine)
}

fn json(machine: &Fingerprint, hazards: &[Hazard]) -> serde_json::Value {
    serde_json::json!({ "format": 1, "class": machine.class(), "machine": machine, "hazards": hazards })
}
