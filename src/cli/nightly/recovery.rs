//! What earlier nights left behind: runs that were measured and not recorded, because the job was killed, the disk was full, or the
//! history could not be written; and a history that cannot be used any more.

use std::path::{Path, PathBuf};

use crate::app::Analysis;
use crate::cli::out::tell;
use crate::cli::session::in_session;
use crate::history::{
    Broken, History, HistoryError, Outcome, Record, Role, Salvage, read_night, recover as folders, replace, salvage,
    write_night,
};
use crate::measure::{RunFolder, Stop};
use crate::text::with_causes;

/// Records the runs of `nightly` under `reports` that the history does not know. A damaged file stops nothing.
pub fn recover(reports: &Path, history: &mut History) -> anyhow::Result<()> {
    let mut left = Vec::new();
    for folder in folders(reports)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !history.is_settled(&name)? {
            left.extend(kept_in(&folder));
        }
    }
    // Into an empty history the whole past comes back, of which everything was told in its time.
    let told = history.count()? == 0 && left.len() > 2;
    let new = history.append(&in_order(left), told)?;
    match &new[..] {
        [] => {}
        [run] => tell!("note: run {run} of an earlier night was not recorded to its end, and is now"),
        runs => tell!("note: {} runs of earlier nights were not recorded to their end, and are now", runs.len()),
    }
    Ok(())
}

/// The record in a run's folder, if it is one of `nightly` and can be read.
fn kept_in(folder: &Path) -> Option<Record> {
    match read_night(folder) {
        Ok(record) => record.map(|record| completed(record, folder)),
        Err(error) => {
            tell!("warning: {error}; the run is left out");
            None
        }
    }
}

/// A history that was made again.
#[derive(Debug)]
pub struct MadeAgain {
    /// The name of the one that was there.
    pub moved: Option<PathBuf>,
    /// How many of its runs could be read.
    pub read: usize,
    /// How many came from the folders of runs.
    pub from_folders: usize,
    /// What of it is gone, in words; `None` if nothing is.
    pub lost: Option<String>,
}

impl MadeAgain {
    /// What was done, in a sentence or two.
    pub fn sentence(&self) -> String {
        let Self { read, from_folders, lost, .. } = self;
        let lost = lost.as_ref().map_or_else(String::new, |lost| format!(". {lost}"));
        format!("{read} runs were read from the old one, and {from_folders} came from the folders of runs{lost}")
    }
}

/// Makes a history again: of what can be read of the one that is there, and of the runs in folders that it lost.
///
/// `wanted` says of a run in a folder, which the old history does not hold, whether it belongs into the new one.
pub fn make_again(
    file: &Path,
    in_folders: Vec<Record>,
    wanted: impl Fn(&Record, &Salvage) -> bool,
) -> Result<MadeAgain, HistoryError> {
    let mut old = salvage(file)?;
    let lost = lost(&old, &in_folders);
    let mut records = std::mem::take(&mut old.records);
    let read = records.len();
    for record in in_folders {
        match records.iter_mut().find(|known| known.run == record.run) {
            Some(known) if known.outcome == Outcome::Unfinished => {
                *known = Record { sequence: known.sequence, ..record }
            }
            None if !old.is_pruned(&record.run) && wanted(&record, &old) => records.push(record),
            _ => {}
        }
    }
    let from_folders = records.len() - read;
    let moved = replace(file, &in_order(records), &old)?;
    Ok(MadeAgain { moved, read, from_folders, lost })
}

/// What neither the old history nor the folders tell any more.
fn lost(old: &Salvage, in_folders: &[Record]) -> Option<String> {
    if old.unreadable {
        return Some("Nothing of the old one can be read, not even how many runs it held: runs that were imported must be imported again".into());
    }
    let gone = old.broken.iter().filter(|broken| !in_folders.iter().any(|record| broken.is(record)));
    let gone: Vec<String> =
        gone.map(|Broken { number, name }| name.clone().unwrap_or_else(|| format!("number {number}"))).collect();
    let runs = if gone.len() == 1 { "run" } else { "runs" };
    (!gone.is_empty()).then(|| format!("{} {runs} could not be made again: {}", gone.len(), gone.join(", ")))
}

/// Those of `nightly` in the folders of runs.
pub fn in_folders(reports: &Path) -> Result<Vec<Record>, HistoryError> {
    Ok(folders(reports)?.iter().filter_map(|folder| kept_in(folder)).collect())
}

/// The record, fitted if the job ended between measuring and fitting.
pub fn completed(record: Record, folder: &Path) -> Record {
    if record.outcome != Outcome::Unfinished {
        return record;
    }
    let folder = RunFolder::at(folder);
    let ended = |run: &crate::measure::RunFile| {
        run.plan.experiment.proposes && run.stopped.is_some_and(|stop| stop != Stop::Interrupted)
    };
    if !folder.read().is_ok_and(|run| ended(&run)) {
        return record;
    }
    match in_session(|session| Analysis::of_run(folder.clone(), None, None, session)) {
        Ok(analysis) => {
            let record = record.fitted(analysis.fit(), analysis.table());
            let written = analysis.write().map_err(anyhow::Error::from);
            let written = written.and_then(|()| Ok(write_night(folder.path(), &record)?));
            written.unwrap_or_else(|error| tell!("warning: {error:#}"));
            record
        }
        Err(error) => {
            tell!("warning: run {} cannot be fitted: {}", record.run, with_causes(&error));
            record
        }
    }
}

/// The records in the order in which they were made. Runs of `nightly` carry their number, as those from a history do; one by hand
/// stands after the last of them that its clock had seen.
fn in_order(mut records: Vec<Record>) -> Vec<Record> {
    let numbered: Vec<(String, u64)> = records
        .iter()
        .filter(|record| record.sequence > 0)
        .map(|record| (record.created.clone(), record.sequence))
        .collect();
    for record in records.iter_mut().filter(|record| record.sequence == 0) {
        let before = numbered.iter().filter(|(created, _)| *created <= record.created);
        record.sequence = before.map(|(_, sequence)| *sequence).max().unwrap_or(0);
    }
    let single = |record: &Record| u8::from(record.role == Role::Single);
    records.sort_by(|one, other| {
        (one.sequence, single(one), &one.created).cmp(&(other.sequence, single(other), &other.created))
    });
    records
}

/// The highest number that a run under `reports` carries, for a night whose history cannot be read.
pub fn highest_sequence(reports: &Path) -> anyhow::Result<u64> {
    let folders = folders(reports)?;
    let mut highest = 0;
    for folder in folders {
        match read_night(&folder) {
            Ok(record) => highest = record.map_or(0, |record| record.sequence).max(highest),
            Err(error) => tell!("warning: {error}; its number is not known"),
        }
    }
    Ok(highest)
}
