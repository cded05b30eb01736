//! What earlier nights left behind: runs that were measured and not recorded, because the job was killed, the disk was full, or the
//! history could not be written.

use std::path::Path;

use crate::cli::analysis::Analysis;
use crate::cli::out::tell;
use crate::history::{History, Outcome, Record, Role, read_night, recover as folders, write_night};
use crate::measure::{Experiment, RunFolder, Stop};

/// Records the runs of `nightly` under `reports` that the history does not know. A damaged file stops nothing.
pub fn recover(reports: &Path, history: &mut History) -> anyhow::Result<()> {
    let mut left = Vec::new();
    for folder in folders(reports)? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if history.knows(&name)? {
            continue;
        }
        match read_night(&folder) {
            Ok(Some(record)) => left.push(completed(record, &folder)),
            Ok(None) => {}
            Err(error) => tell!("warning: {error}; the run is left out"),
        }
    }
    // Into an empty history the whole past comes back, of which everything was told in its time.
    let told = history.count()? == 0 && left.len() > 2;
    let new = history.append(&in_order(left), told)?;
    match &new[..] {
        [] => {}
        [run] => tell!("note: run {run} of an earlier night was not recorded, and is now"),
        runs => tell!("note: {} runs of earlier nights were not recorded, and are now", runs.len()),
    }
    Ok(())
}

/// The record, fitted if the job ended between measuring and fitting.
pub fn completed(record: Record, folder: &Path) -> Record {
    if record.outcome != Outcome::Unfinished {
        return record;
    }
    let folder = RunFolder::at(folder);
    let ended = |run: &crate::measure::RunFile| {
        run.plan.experiment == Experiment::Memory && run.stopped.is_some_and(|stop| stop != Stop::Interrupted)
    };
    if !folder.read().is_ok_and(|run| ended(&run)) {
        return record;
    }
    match Analysis::of_run(folder.clone(), None, None) {
        Ok(analysis) => {
            let record = record.fitted(analysis.fit(), analysis.table());
            let written = analysis.write().and_then(|()| Ok(write_night(folder.path(), &record)?));
            written.unwrap_or_else(|error| tell!("warning: {error:#}"));
            record
        }
        Err(error) => {
            tell!("warning: run {} cannot be fitted: {error:#}", record.run);
            record
        }
    }
}

/// The records in the order in which they were made. Runs of `nightly` carry their number; one by hand stands after the last
/// of them that its clock had seen.
pub fn in_order(mut records: Vec<Record>) -> Vec<Record> {
    let numbered: Vec<(String, u64)> = records
        .iter()
        .filter(|record| record.role != Role::Single)
        .map(|record| (record.created.clone(), record.sequence))
        .collect();
    for record in records.iter_mut().filter(|record| record.role == Role::Single) {
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
