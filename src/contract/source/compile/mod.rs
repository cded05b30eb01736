//! From contracts to artifacts: in parallel, from the cache where it can be, checked against what was asked.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::cache::Cache;
use super::event::CompileEvent;
use super::job::Job;
use super::rust;
use super::set::{ContractSet, LeftOut, Source};
use super::toolchain::{MissingToolchain, TARGET, Toolchain};
use crate::contract::error::ContractError;
use crate::contract::factors::Limits;
use crate::contract::module::artifact::Artifact;

/// How to compile.
#[derive(Debug, Clone)]
pub struct CompileOptions {
    /// What the chain allows.
    pub limits: Limits,
    /// Where compiled modules are kept; `None` to keep none.
    pub cache: Option<PathBuf>,
    /// The compiler to use instead of `$RUSTC` or the one on the path.
    pub rustc: Option<PathBuf>,
    /// Whether a missing target may be added through rustup, which downloads it.
    pub add_target: bool,
    /// Whether Rust contracts that cannot be compiled are an error, rather than skipped.
    pub require_toolchain: bool,
}

/// A contract that could not be compiled for lack of a toolchain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its name.
    pub contract: String,
    /// What is missing.
    pub reason: String,
    /// The command that mends it.
    pub mend: String,
}

/// What came of a contract set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compilation {
    /// The modules to measure: at least one, in the order of contracts and variants.
    pub artifacts: Vec<Artifact>,
    /// Contracts left out for lack of a toolchain.
    pub skipped: Vec<Skipped>,
    /// Stand-ins left out because what they stand in for was compiled.
    pub stood_down: Vec<String>,
    /// Levels of the contracts that are measured which the chain does not allow.
    pub left_out: Vec<LeftOut>,
    /// The Rust compiler that made some of them.
    pub compiler: Option<String>,
    /// How many artifacts came from the cache.
    pub cached: usize,
}

/// Compiles and checks all contracts of `set`, and adds what was ready in it.
///
/// Contracts in Rust need a toolchain. Where it is missing, cannot be completed or is not fit they are skipped, with the command that
/// mends it, and their stand-ins take their place. rustup is run only when a module must be compiled and the target is not
/// there. `progress` is called from several threads.
///
/// # Errors
/// [`ContractError`] for the first variant in order that is faulty, or if nothing is left to measure.
pub fn compile(
    set: &ContractSet,
    options: &CompileOptions,
    progress: &(dyn Fn(CompileEvent<'_>) + Sync),
) -> Result<Compilation, ContractError> {
    let cache = options.cache.as_deref().map(Cache::new);
    let any_rust = set.contracts.iter().any(|contract| matches!(contract.source, Source::Rust { .. }));
    let found = any_rust.then(|| Toolchain::find(options.rustc.as_deref()));
    let toolchain = found.as_ref().and_then(|found| found.as_ref().ok());

    let mut jobs: Vec<Job<'_>> = set
        .contracts
        .par_iter()
        .flat_map(|contract| contract.variants.par_iter().map(move |variant| (contract, variant)))
        .map(|(contract, variant)| Job::new(contract, variant, toolchain, cache.as_ref()))
        .collect();
    let missing = match &found {
        Some(Ok(toolchain)) if jobs.iter().any(Job::needs_compiler) => {
            let newest = jobs.iter().filter(|job| job.needs_compiler()).filter_map(Job::edition).max();
            let probe = || rust::probe(toolchain, newest.unwrap_or_default());
            ensure_target(toolchain, options, progress).and_then(|()| probe()).err()
        }
        Some(Err(missing)) => Some(missing.clone()),
        _ => None,
    };

    let names: BTreeSet<&str> = set.contracts.iter().map(|contract| contract.name.as_str()).collect();
    let lacking: BTreeSet<&str> = match &missing {
        Some(_) => jobs.iter().filter(|job| job.needs_compiler()).map(|job| job.contract.name.as_str()).collect(),
        None => BTreeSet::new(),
    };
    let is_there = |other: &str| names.contains(other) && !lacking.contains(other);
    let stood_down: BTreeSet<&str> = set
        .contracts
        .iter()
        .filter(|contract| contract.stands_in_for.as_deref().is_some_and(is_there))
        .map(|contract| contract.name.as_str())
        .collect();
    jobs.retain(|job| !lacking.contains(&*job.contract.name) && !stood_down.contains(&*job.contract.name));

    let mut skipped = Vec::new();
    if let Some(missing) = missing {
        if let Some(&contract) = lacking.first().filter(|_| options.require_toolchain) {
            return Err(ContractError::Toolchain { contract: contract.into(), source: missing });
        }
        if jobs.is_empty() && set.ready.is_empty() {
            return Err(ContractError::NothingCompiles(missing));
        }
        skipped.extend(lacking.difference(&stood_down).map(|&contract| Skipped {
            contract: contract.into(),
            reason: missing.reason.clone(),
            mend: missing.mend.clone(),
        }));
    }

    let is_out = |name: &str| lacking.contains(name) || stood_down.contains(name);
    let left_out = set.left_out.iter().filter(|left_out| !is_out(&left_out.contract)).cloned().collect();
    progress(CompileEvent::Started { variants: jobs.len() });
    let made = run(&jobs, options.limits, cache.as_ref(), progress)?;
    let compiler = made.iter().find_map(|artifact| artifact.provenance.compiler.clone());
    Ok(Compilation {
        artifacts: set.ready.iter().cloned().chain(made).collect(),
        skipped,
        left_out,
        stood_down: stood_down.into_iter().map(Into::into).collect(),
        compiler,
        cached: jobs.iter().filter(|job| job.is_cached()).count(),
    })
}

/// Makes sure that the target is there.
fn ensure_target(
    toolchain: &Toolchain,
    options: &CompileOptions,
    progress: &(dyn Fn(CompileEvent<'_>) + Sync),
) -> Result<(), MissingToolchain> {
    if toolchain.has_target() {
        return Ok(());
    }
    if !options.add_target {
        return Err(toolchain.without_target(None));
    }
    if toolchain.rustup_name().is_some() {
        progress(CompileEvent::AddingTarget { target: TARGET, toolchain: toolchain.version() });
    }
    toolchain.add_target()
}

/// Runs the jobs. Of several faulty ones the first in order is reported, so that the message does not depend on the threads;
/// later ones are not begun.
fn run(
    jobs: &[Job<'_>],
    limits: Limits,
    cache: Option<&Cache<'_>>,
    progress: &(dyn Fn(CompileEvent<'_>) + Sync),
) -> Result<Vec<Artifact>, ContractError> {
    let first_fault = AtomicUsize::new(usize::MAX);
    let made: Vec<Option<Result<Artifact, ContractError>>> = jobs
        .par_iter()
        .enumerate()
        .map(|(index, job)| {
            if first_fault.load(Ordering::Relaxed) < index {
                return None;
            }
            let made = job.run(limits, cache, progress);
            if made.is_err() {
                first_fault.fetch_min(index, Ordering::Relaxed);
            }
            Some(made)
        })
        .collect();
    // What was not begun comes after a fault, which ends the collection before it.
    made.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests;
