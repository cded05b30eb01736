use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;

use super::analysis::{Analysis, Outputs, machine_class, publish_envelope};
use super::exit::{Exit, IncompatibleError, UsageError};
use super::mixing::Mixing;
use super::run_folder;
use crate::measure::RunFolder;

/// Fits the model and writes the table again from stored samples, without measuring
///
/// Several runs, or the shards of one plan, are put together.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator fit reports/latest
  estimator fit reports/shard-1 reports/shard-2 --params params/proposed.toml
  estimator fit reports/latest --chain params/other-chain.toml --params params/other.toml")]
pub struct Fit {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Other chain settings than those the runs were made with
    #[arg(long, value_name = "FILE")]
    chain: Option<PathBuf>,
    /// Folder for the fit of several runs; that of one run goes into its own folder
    #[arg(long, value_name = "DIR", default_value = "reports/merged")]
    out: PathBuf,
    #[command(flatten)]
    mixing: Mixing,
    #[command(flatten)]
    outputs: Outputs,
}

pub fn execute(args: &Fit) -> anyhow::Result<Exit> {
    args.outputs.check()?;
    let runs: Vec<RunFolder> = args.runs.iter().map(|run| run_folder(run)).collect::<Result<_, _>>()?;
    let current = args.outputs.current()?;
    let chain = args.chain.as_deref().map(super::chain::load).transpose()?.map(|(chain, _)| chain);
    if let [run] = &runs[..] {
        return Analysis::of_run(run.clone(), chain, current)?.publish(&args.outputs);
    }
    let first = runs[0].read()?;
    let first_chain = match &chain {
        Some(chain) => chain.clone(),
        None => super::chain::of_run(&runs[0])?,
    };
    let mut machines: BTreeMap<String, Vec<RunFolder>> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for folder in runs {
        let run = folder.read()?;
        if !names.insert(run.run.clone()) {
            return Err(UsageError(format!("run {} is named twice: its samples would count twice", run.run)).into());
        }
        args.mixing.check(&first, &run)?;
        if first.plan.experiment != run.plan.experiment {
            let message = "one measured the fee of a memory and the other compared strategies: fit them apart";
            return Err(IncompatibleError(format!("{} and {}: {message}", first.run, run.run)).into());
        }
        if first.shard.is_some() && run.shard.is_some() && first.plan.seed != run.plan.seed {
            let message = "are shards of two plans: measure the shares of one plan with one --seed";
            return Err(IncompatibleError(format!("{} and {} {message}", first.run, run.run)).into());
        }
        if chain.is_none() && super::chain::of_run(&folder)? != first_chain {
            let message = "were made with other chain settings each: give --chain FILE for both";
            return Err(IncompatibleError(format!("{} and {} {message}", first.run, run.run)).into());
        }
        machines.entry(machine_class(&run)).or_default().push(folder);
    }
    if let [runs] = &machines.values().collect::<Vec<_>>()[..] {
        return Analysis::of(RunFolder::at(&args.out), runs, chain, current)?.publish(&args.outputs);
    }
    let analyses: Vec<Analysis> = machines
        .iter()
        .map(|(class, runs)| Analysis::of(RunFolder::at(args.out.join(class)), runs, chain.clone(), current.clone()))
        .collect::<Result<_, _>>()?;
    publish_envelope(&analyses, &args.outputs)
}
