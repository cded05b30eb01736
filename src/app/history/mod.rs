//! Recorded runs: looking at them, putting histories together, and keeping the file in order.

mod exchange;
mod folders;
mod rebuild;
mod remake;
mod trend;

use std::path::{Path, PathBuf};

pub use exchange::{Imported, export_runs, import_runs};
pub use rebuild::{RebuildRequest, rebuild};
pub use remake::Remade;
pub use trend::{Trend, TrendRequest, trend};

pub(super) use folders::{in_folder, in_folders};
pub(super) use remake::{in_order, remake};
pub(crate) use trend::{WHOLE, trend_of, trend_runs, whole_trend};

use super::error::Error;
use crate::history::{Access, History, Record, Selection};

/// Which runs of a history to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRequest {
    /// The history.
    pub history: PathBuf,
    /// Only the last so many.
    pub last: u32,
    /// Only those of this machine class.
    pub machine: Option<String>,
    /// Only those of the machine of this name.
    pub node: Option<String>,
}

/// Runs of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The runs, oldest first.
    pub records: Vec<Record>,
    /// How many the history holds.
    pub count: u64,
}

/// Lists the last runs.
///
/// # Errors
/// The history is not there or cannot be read.
pub fn list(request: &ListRequest) -> Result<Listed, Error> {
    let history = History::open(&request.history, Access::Read)?;
    let (machine, node) = (request.machine.clone(), request.node.clone());
    let selection = Selection { last: Some(request.last), machine, node, ..Selection::default() };
    Ok(Listed { records: history.records(&selection)?, count: history.count()? })
}

/// The record of a run, by its name or the path of its folder.
///
/// # Errors
/// The history is not there, cannot be read, or does not hold the run.
pub fn show(history: &Path, run: &str) -> Result<Record, Error> {
    let records = History::open(history, Access::Read)?;
    let name = run.trim_end_matches('/').rsplit('/').next().unwrap_or(run);
    let mut found = records.records(&Selection { run: Some(name.into()), ..Selection::default() })?;
    let unknown =
        || Error::Usage(format!("{} has no run {name}: `estimator history list` names them", history.display()));
    found.pop().ok_or_else(unknown)
}

/// Takes all but the last `keep` runs of each machine out of the history, and returns their names. Their folders stay.
///
/// # Errors
/// The history is not there or cannot be written.
pub fn prune(history: &Path, keep: u32) -> Result<Vec<String>, Error> {
    if !history.exists() {
        return Err(Error::Usage(format!("no history {}", history.display())));
    }
    Ok(History::open(history, Access::Write)?.prune(keep)?)
}

/// What is wrong with the file of a history, and how many runs it holds if that is nothing.
///
/// # Errors
/// The history is not there, is of another version, or cannot be read at all.
pub fn check(history: &Path) -> Result<(Vec<String>, u64), Error> {
    Ok(History::examine(history)?)
}
