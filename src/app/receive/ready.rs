//! A run that is fitted, and takes its place.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::content::RECEIVED;
use super::error::ReceiveError;
use crate::history::{History, HistoryError, Record, read_night, recover as folders, write_night};

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
        if let Err(error) = history.append(std::slice::from_ref(&self.record), false) {
            // It goes with what lies beside.
            fs::rename(&place, &folder).map_err(ReceiveError::disk)?;
            return Err(error.into());
        }
        Ok(self.record)
    }
}

/// Records the runs that were received and are not in the history, because the service was killed or the history was made again
/// meanwhile, and returns their names.
///
/// # Errors
/// The history cannot be written.
pub fn recover(reports: &Path, history: &mut History) -> Result<Vec<String>, HistoryError> {
    let mut left = Vec::new();
    for folder in folders(reports)? {
        left.extend(unrecorded(&folder, history)?);
    }
    history.append(&left, false)
}

/// The same of one run, by its name.
///
/// # Errors
/// As [`recover`].
pub fn recover_one(reports: &Path, name: &str, history: &mut History) -> Result<(), HistoryError> {
    let left = unrecorded(&reports.join(name), history)?;
    history.append(left.as_slice(), false).map(|_| ())
}

/// The record of a run that was received and is not in the history. Runs that were measured here are left to their night, which
/// judges them first.
fn unrecorded(folder: &Path, history: &History) -> Result<Option<Record>, HistoryError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if !folder.join(RECEIVED).is_file() || history.has_ended(&name)? {
        return Ok(None);
    }
    // What cannot be read is no run of ours: `estimator history rebuild` says what is wrong with it.
    Ok(read_night(folder).ok().flatten().filter(|record| record.run == name))
}
