use std::path::PathBuf;

use clap::Args;

use super::compare::percent;
use super::exit::Exit;
use super::format::ShortFormat;
use super::measuring::Measuring;
use super::out::{self, tell};
use super::session::in_session;
use crate::app::{self, NoiseOutcome, NoiseRequest, NoiseSource};
use crate::report::{pages, render};

/// Measures a run, holds one half of it against the other, and says how small a change this machine could detect at its budget
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator noise --profile quick
  estimator noise --run reports/latest     # from a run that is there already")]
pub struct Noise {
    #[command(flatten)]
    measuring: Measuring,
    /// Split this run into halves instead of measuring
    #[arg(long, value_name = "RUN", conflicts_with_all = ["contracts", "chain", "profile", "budget", "strategy", "seed", "shard", "out", "experiment", "threads", "require_toolchain", "filter"])]
    run: Option<PathBuf>,
    /// Smallest change of practical interest, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    threshold: f64,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(args: &Noise) -> anyhow::Result<Exit> {
    let source = match &args.run {
        Some(folder) => NoiseSource::Stored(folder.clone()),
        None => NoiseSource::Measure(Box::new(args.measuring.only()?)),
    };
    let request = NoiseRequest { source, threshold: args.threshold };
    match in_session(|session| app::noise(&request, session))? {
        NoiseOutcome::Interrupted { folder } => {
            tell!("interrupted; what was measured is kept in {}", folder.path().display());
            return Ok(Exit::Failed);
        }
        NoiseOutcome::Found { run, noise } => match args.format {
            ShortFormat::Human => out::show(&render::terminal(&pages::noise::page(&run, &noise)))?,
            ShortFormat::Json => out::versioned_json(1, &noise)?,
        },
    }
    Ok(Exit::Fine)
}
