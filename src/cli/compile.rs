use std::path::PathBuf;

use clap::Args;

use super::chain::Chain;
use super::contracts::{self, Contracts};
use super::exit::Exit;
use super::out;
use crate::contract::write_artifacts;

/// Compiles the contracts into a folder that `run --contracts` takes on a machine without a Rust toolchain
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator compile --contracts estimator-contracts --out artifacts
  estimator run --contracts artifacts        # on a machine without Rust")]
pub struct Compile {
    #[command(flatten)]
    contracts: Contracts,
    #[command(flatten)]
    chain: Chain,
    /// Folder to write; it appears whole or not at all
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn execute(args: &Compile) -> anyhow::Result<Exit> {
    let (chain, _) = args.chain.load()?;
    let compilation = contracts::gather(&args.contracts, &chain)?;
    write_artifacts(&args.out, &compilation)?;
    let count = compilation.artifacts.len();
    let cached = compilation.cached;
    out::show(&format!("{}: {count} modules, {cached} of them from the cache\n", args.out.display()))?;
    Ok(Exit::Fine)
}
