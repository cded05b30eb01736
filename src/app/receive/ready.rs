//! A run that is fitted, and takes its place.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::error::ReceiveError;
use crate::app::error::Error;
use crate::history::{History, Outcome, Record, read_night, recover as folders, write_night};

/// A run that was sent and is fitted. Dropped, it leaves nothing.
#[derive(Debug)]
pub struct Ready {
    pub(super) beside: TempDir,
    pub(super) reports: PathBuf,
    pub(super) record: Record,
}

impl Ready {
    /// Puts the run among the others and records it, in this order: a kill in between leaves a whole run, which [`recover`] records.
    ///
    /// It has no events: what is to be told is told where it was measured.
    ///
    /// # Errors
    /// There is no room, or the history cannot be written.
    pub fn record(mut self, history: &mut History) -> Result<Record, ReceiveError> {
        self.record.sequence = history.next_sequence()?;
        let name = &self.record.run;
        let folder = self.beside.path().join(name);
        write_night(&folder, &self.record)?;
        history.writable()?;
        let place = self.reports.join(name);
        fs::rename(&folder, &place).and_then(|()| File::open(&self.reports)?.sync_all()).map_err(ReceiveError::disk)?;
        history.append(std::slice::from_ref(&self.record), false)?;
        Ok(self.record)
    }
}

/// Records the runs that are there and were not recorded, because the service was killed or the disk was full, and returns their names.
/// `only` is the name of one, or all are looked at.
///
/// # Errors
/// The history cannot be written.
pub fn recover(reports: &Path, only: Option<&str>, history: &mut History) -> Result<Vec<String>, Error> {
    let mut left = Vec::new();
    for folder in folders(reports)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if only.is_some_and(|only| only != name) || history.has_ended(&name)? {
            continue;
        }
        // What cannot be read is no run of ours: `estimator history rebuild` says what is wrong with it. A night that has not ended
        // records itself.
        let record = read_night(&folder).ok().flatten();
        left.extend(record.filter(|record| record.outcome != Outcome::Unfinished));
    }
    Ok(history.append(&left, false)?)
}
