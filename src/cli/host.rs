use std::path::Path;
use std::thread;
use std::time::Duration;

use clap::Args;

use super::exit::Exit;
use super::format::ShortFormat;
use super::out;
use crate::host::{CpuTimes, Fingerprint, Hazard, Host};
use crate::report::{pages, render};

/// Shows the machine: its fingerprint, what makes its times noisy, and the commands that would quiet it; changes nothing
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator host
  estimator host --format json | jq '.hazards[] | select(.state == \"yes\")'")]
pub struct HostArgs {
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(args: &HostArgs) -> anyhow::Result<Exit> {
    let root = Path::new("/");
    let before = CpuTimes::read(root);
    // Long enough for some ticks of the kernel's clock, so that theft can show.
    thread::sleep(Duration::from_millis(300));
    let mut host = Host::read(root);
    host.hazards.push(CpuTimes::steal(before, CpuTimes::read(root)));
    match args.format {
        ShortFormat::Human => out::show(&render::terminal(&pages::host::page(&host)))?,
        ShortFormat::Json => {
            out::json(&json(&host.fingerprint, &host.hazards))?;
        }
    }
    Ok(Exit::Fine)
}

fn json(machine: &Fingerprint, hazards: &[Hazard]) -> serde_json::Value {
    serde_json::json!({ "format": 1, "class": machine.class(), "machine": machine, "hazards": hazards })
}
