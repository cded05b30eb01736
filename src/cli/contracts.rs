//! From `--contracts` to artifacts, with progress.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::out::tell;
use super::progress::Progress;
use crate::contract::{Compilation, CompileEvent, CompileOptions, ContractError, ContractSet, Limits, compile};
use crate::params::ChainSettings;
use crate::text::{name_of, shown};

/// Where contracts come from.
#[derive(Debug, Args)]
pub struct Contracts {
    /// Folder of contracts: NAME/contract.toml with a source, ready .wasm files, or what `compile` wrote [default:
    /// estimator-contracts if it is there, otherwise the built-in contracts]
    #[arg(long, value_name = "DIR")]
    pub contracts: Option<PathBuf>,
    /// Fail where Rust contracts cannot be compiled, instead of going on without them
    #[arg(long)]
    pub require_toolchain: bool,
}

/// Where contracts are looked for when no folder is named.
const DEFAULT_FOLDER: &str = "estimator-contracts";

/// What the chain allows.
pub fn limits(chain: &ChainSettings) -> Limits {
    Limits { initial_pages_max: chain.initial_pages_max, pages_max: chain.pages_max }
}

/// Finds and compiles the contracts.
pub fn gather(args: &Contracts, chain: &ChainSettings) -> Result<Compilation, ContractError> {
    let limits = limits(chain);
    let default = Path::new(DEFAULT_FOLDER);
    let set = match &args.contracts {
        Some(folder) => ContractSet::load(folder, limits)?,
        None if default.is_dir() => ContractSet::load(default, limits)?,
        None => ContractSet::embedded(limits)?,
    };
    for path in &set.ignored {
        tell!("note: {} is not a contract and is left out", shown(&name_of(path)));
    }
    let options = CompileOptions {
        limits,
        cache: cache_folder(),
        rustc: None,
        add_target: true,
        require_toolchain: args.require_toolchain,
    };
    let making = Mutex::new(Making { progress: Progress::new(), made: 0, of: 0 });
    let compilation =
        compile(&set, &options, &|event| making.lock().unwrap_or_else(PoisonError::into_inner).show(&event))?;
    drop(making);
    let mut lacks: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for skipped in &compilation.skipped {
        lacks.entry((&skipped.reason, &skipped.mend)).or_default().push(&skipped.contract);
    }
    for ((reason, mend), contracts) in lacks {
        tell!("warning: left out: {}: {reason}", contracts.join(", "));
        tell!("  to mend it: {mend}");
    }
    let mut beyond: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for left_out in &compilation.left_out {
        beyond.entry(&left_out.levels).or_default().push(&left_out.contract);
    }
    for (levels, contracts) in beyond {
        tell!("note: left out of {}: {levels}", contracts.join(", "));
    }
    Ok(compilation)
}

/// How far the modules are.
struct Making {
    progress: Progress,
    made: usize,
    of: usize,
}

impl Making {
    fn show(&mut self, event: &CompileEvent<'_>) {
        match event {
            CompileEvent::AddingTarget { target, toolchain } => {
                tell!("adding the target {target} to {toolchain} with rustup");
            }
            CompileEvent::Started { variants } => self.of = *variants,
            CompileEvent::Finished { .. } => {
                self.made += 1;
                self.progress.advance("making", self.made, self.of, "modules");
            }
            CompileEvent::NotCached { folder, error } => {
                tell!("note: compiled modules are not kept in {}: {error}", folder.display());
            }
        }
    }
}

/// `$XDG_CACHE_HOME/estimator`, otherwise `~/.cache/estimator` (XDG Base Directory Specification).
fn cache_folder() -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("estimator"))
}
