use std::path::PathBuf;

use clap::Args;

use super::analysis::{Analysis, Mixing, Outputs};
use super::exit::Exit;
use super::run_folder;

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
    #[command(flatten)]
    mixing: Mixing,
    #[command(flatten)]
    outputs: Outputs,
}

pub fn execute(args: &Fit) -> anyhow::Result<Exit> {
    let folders: Vec<_> = args.runs.iter().map(|run| run_folder(run)).collect::<Result<_, _>>()?;
    let chain = args.chain.as_deref().map(super::chain::load).transpose()?.map(|(chain, _)| chain);
    Analysis::of(&folders, chain, args.mixing)?.publish(&args.outputs)
}
