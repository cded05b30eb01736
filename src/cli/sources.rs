use std::path::PathBuf;

use clap::Args;

/// Where contracts and the chain's settings come from.
#[derive(Debug, Clone, Args)]
pub struct Sources {
    /// Folder of contracts: NAME/contract.toml with a source, ready .wasm files, or what `compile` wrote [default:
    /// estimator-contracts if it is there, otherwise the built-in contracts]
    #[arg(long, value_name = "DIR")]
    pub contracts: Option<PathBuf>,
    /// Fail where Rust contracts cannot be compiled, instead of going on without them
    #[arg(long)]
    pub require_toolchain: bool,
    /// Chain settings [default: params/chain.toml if it is there, otherwise NEAR's]
    #[arg(long, value_name = "FILE")]
    pub chain: Option<PathBuf>,
}
