use std::path::{Path, PathBuf};

use super::folders::completed;
use super::remake::{Remade, remake};
use crate::app::error::Error;
use crate::app::session::Session;
use crate::history::{Lock, Record, Role, put_in_place, read_night, recover};
use crate::measure::RunFolder;
use crate::text::with_causes;

/// A history that is to be made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RebuildRequest {
    /// The history.
    pub history: PathBuf,
    /// Where the folders of the runs are.
    pub reports: PathBuf,
    /// Also take the runs that were made by hand, each after the nightly run that its clock had seen last.
    pub all: bool,
}

/// Makes the history again from the folders of runs and from what can be read of the one that is there, which is set aside.
///
/// # Errors
/// There are no runs; another job holds the lock; a file cannot be read or written.
pub fn rebuild(request: &RebuildRequest, session: &Session<'_>) -> Result<Remade, Error> {
    let RebuildRequest { history: file, reports, all } = request;
    if !reports.is_dir() {
        return Err(Error::Usage(format!("no folder {}", reports.display())));
    }
    let _lock = Lock::take(&file.with_extension("lock"), &format!("process {}, rebuilding", std::process::id()))?;
    put_in_place(file)?;
    let mut records = Vec::new();
    for folder in recover(reports)? {
        match record(&folder, *all, session) {
            Ok(record) => records.extend(record),
            Err(error) => session.warn(&format!("{}; the run is left out", with_causes(&error))),
        }
    }
    if records.is_empty() && !file.exists() {
        return Err(Error::Usage(format!("{} holds no run that could be recorded", reports.display())));
    }
    Ok(remake(file, records, |_, _| true)?)
}

/// The record of a folder; `None` for a run that has no place in a history.
fn record(folder: &Path, all: bool, session: &Session<'_>) -> Result<Option<Record>, Error> {
    if let Some(record) = read_night(folder)? {
        return Ok(Some(completed(record, folder, session)));
    }
    let run = RunFolder::at(folder).read()?;
    let whole = run.plan.experiment.proposes && run.shard.is_none();
    let planned = || Record::planned(&run, 0, &run.run, Role::Single);
    Ok((all && whole).then(|| completed(planned(), folder, session)))
}
