use std::path::PathBuf;

use clap::Args;

use super::exit::Exit;
use super::out;
use super::session::in_session;
use super::sources::Sources;
use crate::app::{self, CompileRequest};
use crate::text::counted;

/// Compiles the contracts into a folder that `run --contracts` takes on a machine without a Rust toolchain
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator compile --contracts estimator-contracts --out artifacts
  estimator run --contracts artifacts        # on a machine without Rust")]
pub struct Compile {
    #[command(flatten)]
    sources: Sources,
    /// Folder to write; it appears whole or not at all
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn execute(args: &Compile) -> anyhow::Result<Exit> {
    let Sources { contracts, require_toolchain, chain } = args.sources.clone();
    let request = CompileRequest { contracts, require_toolchain, chain, out: args.out.clone() };
    let compilation = in_session(|session| app::compile(&request, session))?;
    let count = compilation.artifacts.len();
    let cached = compilation.cached;
    let modules = counted(count, "module", "modules");
    out::show(&format!("{}: {modules}, {cached} of them from the cache\n", args.out.display()))?;
    Ok(Exit::Fine)
}
