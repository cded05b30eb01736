//! The contracts that a verification is to measure, read and put into its folder.

use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::error::{Error, system};
use super::event::Event;
use super::session::Session;
use crate::contract::corpus::{CorpusError, Found, Walk, read_module};
use crate::contract::survey::Surveyed;
use crate::contract::{MemoryKind, ModuleFacts, expose, levels_of};
use crate::experiment::Experiment;
use crate::measure::real::JobContract;
use crate::params::ChainSettings;
use crate::report::Unmeasured;
use crate::units::Bytes;

/// The strategy of memories that a host makes by itself.
const FRESH_MAP: &str = "fresh-map";

/// What is to be measured, and what is not, each with the reason.
#[derive(Default)]
pub(super) struct Gathered {
    pub contracts: Vec<JobContract>,
    pub unmeasured: Vec<Unmeasured>,
    /// All that was named.
    pub named: usize,
    /// Files that are no contracts.
    pub broken: usize,
    /// Names that lead to no file.
    pub missing: usize,
}

impl Gathered {
    /// Reads every contract and puts it into the folder with its memories exposed.
    pub(super) fn read(
        paths: &[PathBuf],
        list: impl BufRead,
        (experiment, chain): (&Experiment, &ChainSettings),
        folder: &Path,
        session: &Session<'_>,
    ) -> Result<Self, Error> {
        let mut gathered = Self::default();
        let mut walk = Walk::new(paths, list);
        for found in &mut walk {
            gathered.named += 1;
            let name = found.as_ref().map_or_else(CorpusError::place, |found| found.name.clone());
            match found.and_then(|found| exposed(&found)) {
                Ok((contract, wasm)) => gathered.add(name, &contract, &wasm, (experiment, chain), folder)?,
                Err(error) => {
                    if error.is_usage() {
                        session.tell(Event::Missing(&error));
                        gathered.missing += 1;
                    } else {
                        gathered.broken += 1;
                    }
                    gathered.unmeasured.push(Unmeasured { name, reason: error.reason() });
                }
            }
        }
        if walk.passed_by() > 0 {
            session.tell(Event::PassedBy { links: walk.passed_by() });
        }
        if gathered.named == 0 {
            return Err(Error::Usage("no contract is left to measure: name files, folders or patterns".into()));
        }
        Ok(gathered)
    }

    fn add(
        &mut self,
        name: String,
        contract: &Surveyed,
        wasm: &[u8],
        (experiment, chain): (&Experiment, &ChainSettings),
        folder: &Path,
    ) -> Result<(), Error> {
        if let Some(reason) = unfit(contract, chain) {
            self.unmeasured.push(Unmeasured { name, reason });
            return Ok(());
        }
        let levels = match levels_of(experiment, wasm).transpose() {
            Ok(levels) => levels,
            Err(error) => {
                self.unmeasured.push(Unmeasured { name, reason: error.to_string() });
                return Ok(());
            }
        };
        let contract = JobContract { levels, ..job_contract(contract, self.contracts.len()) };
        let path = contract.module(folder);
        fs::write(&path, wasm).map_err(system(format!("cannot write {}", path.display())))?;
        self.contracts.push(contract);
        Ok(())
    }
}

fn exposed(found: &Found) -> Result<(Surveyed, Vec<u8>), CorpusError> {
    let wasm = read_module(&found.path)?;
    let facts = |source| CorpusError::Facts { path: found.path.clone(), source };
    let read = ModuleFacts::read_valid(&wasm).map_err(facts)?;
    let exposed = expose(&wasm, &read).map_err(facts)?;
    Ok((Surveyed::new(found.name.clone(), &wasm, read), exposed))
}

/// Why a contract is not measured, if its declaration alone tells.
fn unfit(contract: &Surveyed, chain: &ChainSettings) -> Option<String> {
    match contract.declared() {
        _ if contract.facts.memories == 0 => Some("it has no memory".into()),
        // Wasmtime gives memories that a host makes from outside of the pool and of every memory creator.
        _ if contract.facts.memory == MemoryKind::Imported && chain.strategy != FRESH_MAP => {
            Some(format!("its memory is imported, which Wasmtime gives under {FRESH_MAP} alone"))
        }
        Some(pages) if pages <= chain.initial_pages_max => None,
        _ => Some(format!(
            "it declares {} pages, and the chain of the table allows {}",
            contract.facts.declared_pages, chain.initial_pages_max.0
        )),
    }
}

fn job_contract(contract: &Surveyed, number: usize) -> JobContract {
    JobContract {
        number,
        name: contract.name.clone(),
        sha256: contract.sha256.clone().unwrap_or_default(),
        pages: contract.declared().unwrap_or_default(),
        first_pages: contract.facts.initial_pages.unwrap_or_default(),
        memories: contract.facts.memories,
        has_start: contract.facts.start.is_some(),
        data_bytes: contract.facts.data_bytes,
        stack_bytes: contract.layout.map_or(Bytes(0), |layout| layout.stack),
        levels: None,
    }
}
