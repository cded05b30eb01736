//! From a folder of contracts to artifacts.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::error::Error;
use super::event::{Event, Stage};
use super::session::Session;
use crate::contract::{Compilation, CompileEvent, CompileOptions, ContractSet, Limits, compile};
use crate::params::ChainSettings;
use crate::text::{name_of, shown};

/// Where contracts are looked for when no folder is named.
const DEFAULT_FOLDER: &str = "estimator-contracts";

/// The contracts in this folder, or else in `estimator-contracts` if it is there, or else the built-in ones.
pub(super) fn contract_set(folder: Option<&Path>, chain: &ChainSettings) -> Result<ContractSet, Error> {
    let limits = limits(chain);
    let default = Path::new(DEFAULT_FOLDER);
    Ok(match folder {
        Some(folder) => ContractSet::load(folder, limits)?,
        None if default.is_dir() => ContractSet::load(default, limits)?,
        None => ContractSet::embedded(limits)?,
    })
}

/// Finds and compiles them.
pub(super) fn gather(
    folder: Option<&Path>,
    require_toolchain: bool,
    chain: &ChainSettings,
    session: &Session<'_>,
) -> Result<Compilation, Error> {
    let set = contract_set(folder, chain)?;
    for path in &set.ignored {
        session.note(&format!("{} is not a contract and is left out", shown(&name_of(path))));
    }
    let limits = limits(chain);
    let options = CompileOptions { limits, cache: cache_folder(), rustc: None, add_target: true, require_toolchain };
    // Modules are made on several threads, and told of one after the other.
    let making = Mutex::new(Making { session, made: 0, of: 0 });
    let compilation =
        compile(&set, &options, &|event| making.lock().unwrap_or_else(PoisonError::into_inner).tell(&event))?;
    tell_left_out(&compilation, session);
    Ok(compilation)
}

pub(super) const fn limits(chain: &ChainSettings) -> Limits {
    Limits { initial_pages_max: chain.initial_pages_max, pages_max: chain.pages_max }
}

fn tell_left_out(compilation: &Compilation, session: &Session<'_>) {
    let mut lacks: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for skipped in &compilation.skipped {
        lacks.entry((&skipped.reason, &skipped.mend)).or_default().push(&skipped.contract);
    }
    for ((reason, mend), contracts) in lacks {
        session.tell(Event::Skipped { contracts: &contracts, reason, mend });
    }
    let mut beyond: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for left_out in &compilation.left_out {
        beyond.entry(&left_out.levels).or_default().push(&left_out.contract);
    }
    for (levels, contracts) in beyond {
        session.note(&format!("left out of {}: {levels}", contracts.join(", ")));
    }
}

/// How far the modules are.
struct Making<'a> {
    session: &'a Session<'a>,
    made: usize,
    of: usize,
}

impl Making<'_> {
    fn tell(&mut self, event: &CompileEvent<'_>) {
        match event {
            CompileEvent::AddingTarget { target, toolchain } => {
                self.session.tell(Event::AddingTarget { target, toolchain });
            }
            CompileEvent::Started { variants } => self.of = *variants,
            CompileEvent::Finished { .. } => {
                self.made += 1;
                self.session.tell(Event::Progress { stage: Stage::Making, done: self.made, of: self.of });
            }
            CompileEvent::NotCached { folder, error } => {
                self.session.note(&format!("compiled modules are not kept in {}: {error}", folder.display()));
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
