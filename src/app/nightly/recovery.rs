//! What earlier nights left behind: runs that were measured and not recorded, because the job was killed, the disk was full, or the
//! history could not be written.

use std::path::Path;

use crate::app::error::Error;
use crate::app::history::{in_folder, in_order};
use crate::app::session::Session;
use crate::history::{History, read_night, recover as folders};

/// Records the runs of `nightly` under `reports` that the history does not know. A damaged file stops nothing.
pub(super) fn recover(reports: &Path, history: &mut History, session: &Session<'_>) -> Result<(), Error> {
    let mut left = Vec::new();
    for folder in folders(reports)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !history.has_ended(&name)? {
            left.extend(in_folder(&folder, session));
        }
    }
    // Into an empty history the whole past comes back, of which everything was told in its time.
    let told = history.count()? == 0 && left.len() > 2;
    let new = history.append(&in_order(left), told)?;
    match &new[..] {
        [] => {}
        [run] => session.note(&format!("run {run} of an earlier night was not recorded to its end, and is now")),
        runs => {
            session.note(&format!("{} runs of earlier nights were not recorded to their end, and are now", runs.len()));
        }
    }
    Ok(())
}

/// The highest number that a run under `reports` carries, for a night whose history cannot be read.
pub(super) fn highest_sequence(reports: &Path, session: &Session<'_>) -> Result<u64, Error> {
    let mut highest = 0;
    for folder in folders(reports)? {
        match read_night(&folder) {
            Ok(record) => highest = record.map_or(0, |record| record.sequence).max(highest),
            Err(error) => session.warn(&format!("{error}; its number is not known")),
        }
    }
    Ok(highest)
}
