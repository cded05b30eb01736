//! The record in the folder of its run, from which the database can be made again.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::HistoryError;
use super::exchange::{parse, write_one};
use super::record::Record;
use crate::text::read_found;

/// The file in a run's folder that holds its record. It is there from before the first sample on.
pub const NIGHT_FILE: &str = "night.json";

/// Writes the record of a run into its folder.
///
/// # Errors
/// The file cannot be written.
pub fn write_night(folder: &Path, record: &Record) -> Result<(), HistoryError> {
    write_one(record, &folder.join(NIGHT_FILE))
}

/// The record in a run's folder; `None` if the run was not made by `nightly`.
///
/// # Errors
/// It cannot be read, or is no record.
pub fn read_night(folder: &Path) -> Result<Option<Record>, HistoryError> {
    let file = folder.join(NIGHT_FILE);
    match read_found(&file) {
        Ok(text) => parse(&text, &file, None).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(HistoryError::File { action: "read", file, source }),
    }
}

/// The folders of runs under `reports`, in the order of their names, without links such as `latest`.
///
/// # Errors
/// The folder cannot be listed. One that is not there holds no runs.
pub fn recover(reports: &Path) -> Result<Vec<PathBuf>, HistoryError> {
    let failed = |source| HistoryError::File { action: "list", file: reports.into(), source };
    let entries = match fs::read_dir(reports) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        // A folder that cannot be looked into is kept: reading its record says why.
        let holds_run = || match fs::metadata(entry.path().join("run.toml")) {
            Ok(found) => found.is_file(),
            Err(error) => error.kind() == ErrorKind::PermissionDenied,
        };
        if entry.file_type().map_err(failed)?.is_dir() && holds_run() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}
