use std::path::PathBuf;

use clap::Args;

use super::analysis::fit_settings;
use super::compare::percent;
use super::exit::Exit;
use super::format::ShortFormat;
use super::measuring::{Measuring, measure, prepare};
use super::out::{self, tell};
use super::{run_folder, stored_samples};
use crate::measure::Stop;
use crate::model::noise;
use crate::report::{pages, render};

/// Measures the same twice (an A/A run) and says how small a change this machine could detect at its budget
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator noise --profile quick
  estimator noise --run reports/latest     # from a run that is there already")]
pub struct NoiseArgs {
    #[command(flatten)]
    measuring: Measuring,
    /// Split this run into halves instead of measuring
    #[arg(long, value_name = "RUN", conflicts_with_all = ["contracts", "chain", "profile", "budget", "strategy", "seed", "shard", "out", "experiment", "threads", "require_toolchain"])]
    run: Option<PathBuf>,
    /// Smallest change of practical interest, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    threshold: f64,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: ShortFormat,
}

pub fn execute(args: &NoiseArgs) -> anyhow::Result<Exit> {
    let (folder, run) = if let Some(folder) = &args.run {
        let folder = run_folder(folder)?;
        let run = folder.read()?;
        (folder, run)
    } else {
        let (folder, mut run) = prepare(&args.measuring, None)?;
        if measure(&folder, &mut run, true)? == Stop::Interrupted {
            tell!("interrupted; what was measured is kept in {}", folder.path().display());
            return Ok(Exit::Failed);
        }
        (folder, run)
    };
    let samples = stored_samples(&folder, &run)?;
    let chain = super::chain::of_run(&folder)?;
    let found = noise(&samples, &fit_settings(&chain, run.plan.seed), args.threshold / 100.0)?;
    match args.format {
        ShortFormat::Human => out::show(&render::terminal(&pages::noise::page(&run.run, &found)))?,
        ShortFormat::Json => out::json(&found)?,
    }
    Ok(Exit::Fine)
}
