//! A history that cannot be used any more is made again, of what can be read of it and of the folders of runs.

use std::path::{Path, PathBuf};

use crate::history::{Broken, HistoryError, Outcome, Record, Role, Salvage, replace, salvage};
use crate::text::counted;

/// A history that was made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remade {
    /// The name that the old one has now; `None` if there was none.
    pub moved: Option<PathBuf>,
    /// How many of its runs could be read.
    pub read: usize,
    /// How many came from the folders of runs.
    pub from_folders: usize,
    /// What of it is gone, in words; `None` if nothing is.
    pub lost: Option<String>,
}

impl Remade {
    /// What was done, in a sentence or two.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { read, from_folders, lost, .. } = self;
        let lost = lost.as_ref().map_or_else(String::new, |lost| format!(". {lost}"));
        let read = counted(*read, "run was read", "runs were read");
        format!("{read} from the old one, and {from_folders} came from the folders of runs{lost}")
    }
}

/// Makes a history again: of what can be read of the one that is there, and of the runs in folders that it lost.
///
/// `wanted` says of a run in a folder, which the old history does not hold, whether it belongs into the new one.
pub(crate) fn remake(
    file: &Path,
    in_folders: Vec<Record>,
    wanted: impl Fn(&Record, &Salvage) -> bool,
) -> Result<Remade, HistoryError> {
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
    Ok(Remade { moved, read, from_folders, lost })
}

/// What neither the old history nor the folders tell any more.
fn lost(old: &Salvage, in_folders: &[Record]) -> Option<String> {
    if old.unreadable {
        return Some("Nothing of the old one can be read, not even how many runs it held: runs that were imported must be imported again".into());
    }
    let gone = old.broken.iter().filter(|broken| !in_folders.iter().any(|record| broken.is(record)));
    let gone: Vec<String> =
        gone.map(|Broken { number, name }| name.clone().unwrap_or_else(|| format!("number {number}"))).collect();
    let runs = counted(gone.len(), "run", "runs");
    (!gone.is_empty()).then(|| format!("{runs} could not be made again: {}", gone.join(", ")))
}

/// The records in the order in which they were made. Runs of `nightly` carry their number, as those from a history do; one by hand
/// stands after the last of them that its clock had seen.
pub(crate) fn in_order(mut records: Vec<Record>) -> Vec<Record> {
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
