use std::path::{Path, PathBuf};

use clap::Args;

use super::analysis::{Analysis, Outputs};
use super::exit::{Exit, IncompatibleError};
use super::measuring::{Measuring, artifact_hashes, measure, prepare, quoted};
use super::out::tell;
use super::run_folder;
use crate::contract::{Limits, read_artifacts};
use crate::host::Host;
use crate::measure::{RunFile, RunFolder, Stop};
use crate::runtime::WASMTIME_VERSION;

/// Compiles the contracts, measures them, fits the model, and proposes the fee per initial memory page
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator run --contracts estimator-contracts
  estimator run --profile quick --strategy fresh-map
  estimator run --experiment strategies --threads 2
  estimator run --budget 45s --seed 7 --params params/try.toml
  estimator run --resume reports/latest")]
pub struct Run {
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    outputs: Outputs,
    /// Go on with a run that was interrupted or killed
    #[arg(long, value_name = "RUN", conflicts_with_all = ["contracts", "chain", "profile", "budget", "strategy", "seed", "shard", "out", "experiment", "threads", "require_toolchain"])]
    resume: Option<PathBuf>,
}

pub fn execute(args: &Run) -> anyhow::Result<Exit> {
    args.outputs.check()?;
    // Before it takes minutes.
    let current = args.outputs.current()?;
    let (folder, mut run) = match &args.resume {
        Some(folder) => resumed(folder)?,
        None => prepare(&args.measuring, args.outputs.current_of_new_run()?.as_ref())?,
    };
    let path = quoted(folder.path());
    tell!("run {} with seed {}, into {path}", run.run, run.plan.seed);
    let stop = match run.stopped {
        Some(stop) if stop != Stop::Interrupted => stop,
        _ => measure(&folder, &mut run, args.resume.is_none())?,
    };
    if stop == Stop::Interrupted {
        match run.rounds {
            Some(_) => tell!("interrupted; what was measured is kept. To go on: estimator run --resume {path}"),
            None => tell!("interrupted before anything was measured"),
        }
        return Ok(Exit::Failed);
    }
    if let Some(shard) = run.shard {
        tell!("shard {} is measured; when all are: estimator fit {path} OTHER...", String::from(shard));
        return Ok(Exit::Fine);
    }
    Analysis::of_run(folder, None, current)?.publish(&args.outputs)
}

/// A run that can go on here: on the machine that began it, with the Wasmtime and the modules that it began with.
fn resumed(folder: &Path) -> anyhow::Result<(RunFolder, RunFile)> {
    let folder = run_folder(folder)?;
    let run = folder.read()?;
    let other = |what: String| Err(IncompatibleError(format!("run {} cannot go on here: {what}", run.run)).into());
    if run.wasmtime != WASMTIME_VERSION {
        return other(format!("it measured Wasmtime {}, and this is {WASMTIME_VERSION}", run.wasmtime));
    }
    let here = Host::read(Path::new("/")).fingerprint.class();
    if here.is_none() || here != run.machine.class() {
        return other(format!("it began on another machine, {}", run.machine.summary()));
    }
    let limits = Limits { initial_pages_max: run.plan.pages_max, pages_max: run.plan.pages_max };
    let artifacts = artifact_hashes(&read_artifacts(&folder.artifacts(), limits)?);
    if let Some(changed) = run.artifacts.iter().find(|artifact| !artifacts.contains(artifact)) {
        return other(format!("module {}/{} is not the one that it began with", changed.contract, changed.variant));
    }
    Ok((folder, run))
}
