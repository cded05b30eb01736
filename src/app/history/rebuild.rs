use std::path::{Path, PathBuf};

use super::folders::{completed, fitted};
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
    let (mut records, mut by_hand) = (Vec::new(), 0);
    for folder in recover(reports)? {
        match found(&folder) {
            Ok(Found::Night(record)) => records.push(completed(record, &folder, session)),
            Ok(Found::ByHand(record)) if *all => records.push(fitted(record, &folder, session)),
            Ok(Found::ByHand(_)) => by_hand += 1,
            Ok(Found::Other) => {}
            Err(error) => session.warn(&format!("{}; the run is left out", with_causes(&error))),
        }
    }
    let left_out = (by_hand > 0).then(|| format!("runs made by hand are left out ({by_hand}): --all takes them"));
    if records.is_empty() && !file.exists() {
        let why = left_out.map_or_else(String::new, |left_out| format!("; {left_out}"));
        return Err(Error::Usage(format!("{} holds no run that could be recorded{why}", reports.display())));
    }
    left_out.inspect(|left_out| session.note(left_out));
    Ok(remake(file, records, |_, _| true)?)
}

/// What lies in a folder.
enum Found {
    Night(Record),
    /// A run that may be recorded, as it is before it is fitted.
    ByHand(Record),
    /// What has no place in a history, such as a part of a run.
    Other,
}

fn found(folder: &Path) -> Result<Found, Error> {
    if let Some(record) = read_night(folder)? {
        return Ok(Found::Night(record));
    }
    let run = RunFolder::at(folder).read()?;
    let is_whole = run.plan.experiment.proposes && run.shard.is_none();
    Ok(if is_whole { Found::ByHand(Record::planned(&run, 0, &run.run, Role::Single)) } else { Found::Other })
}
