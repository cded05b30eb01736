use std::path::PathBuf;

use clap::Args;

use super::analysis::{Analysis, Outputs};
use super::exit::Exit;
use super::measuring::{Measuring, measure, prepare, quoted};
use super::run_folder;
use crate::measure::{Experiment, Stop};

/// Compiles the contracts, measures them, fits the model, and proposes the fee per initial memory page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator run --contracts estimator-contracts
  estimator run --profile quick --strategy fresh-map
  estimator run --budget 45s --seed 7 --params params/try.toml
  estimator run --resume reports/latest")]
pub struct Run {
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    outputs: Outputs,
    /// Go on with a run that was interrupted or killed
    #[arg(long, value_name = "RUN", conflicts_with_all = ["contracts", "chain", "profile", "budget", "strategy", "seed", "shard", "out"])]
    resume: Option<PathBuf>,
}

pub fn execute(args: &Run) -> anyhow::Result<Exit> {
    let (folder, mut run) = match &args.resume {
        Some(folder) => {
            let folder = run_folder(folder)?;
            let run = folder.read()?;
            (folder, run)
        }
        None => prepare(&args.measuring)?,
    };
    let path = quoted(folder.path());
    anstream::eprintln!("run {} with seed {}, into {path}", run.run, run.plan.seed);
    let stop = match run.stopped {
        Some(stop) if stop != Stop::Interrupted => stop,
        _ => measure(&folder, &mut run)?,
    };
    if stop == Stop::Interrupted {
        anstream::eprintln!("interrupted; what was measured is kept. To go on: estimator run --resume {path}");
        return Ok(Exit::Failed);
    }
    if let Some(shard) = run.shard {
        anstream::eprintln!("shard {} is measured; when all are: estimator fit {path} OTHER...", String::from(shard));
    }
    let analysis = Analysis::of_run(folder, None)?;
    match run.plan.experiment {
        Experiment::Memory => analysis.publish(&args.outputs),
        Experiment::Strategies => analysis.publish_ladder(),
    }
}
