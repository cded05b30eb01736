//! The history, held open: opening one checks every row of it, which takes its time.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::watched::Stamp;
use crate::history::{Access, History, HistoryError};

/// The history of a service.
pub(super) struct Store {
    file: PathBuf,
    open: Mutex<Option<Open>>,
}

struct Open {
    history: History,
    place: (u64, u64),
}

impl Store {
    /// Opens the history, and makes it if it is not there.
    ///
    /// # Errors
    /// It is damaged, of another program or version, or cannot be read.
    pub(super) fn new(file: &Path) -> Result<Self, HistoryError> {
        Ok(Self { file: file.into(), open: Mutex::new(Some(open(file)?)) })
    }

    /// Does something with the history. One that was made again since, under the same name, is opened first.
    ///
    /// # Errors
    /// As [`Self::new`], or what is done with it.
    pub(super) fn with<T, E: From<HistoryError>>(
        &self,
        work: impl FnOnce(&mut History) -> Result<T, E>,
    ) -> Result<T, E> {
        // A thread that ended in the middle left no transaction: SQLite takes it back.
        let mut held = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Stamp::of(&self.file).map(|stamp| stamp.place);
        if held.as_ref().is_some_and(|held| Some(held.place) != place) {
            *held = None;
        }
        let open = match &mut *held {
            Some(open) => open,
            none => none.insert(open(&self.file)?),
        };
        work(&mut open.history)
    }
}

/// To record, or where the file cannot be written to look.
fn open(file: &Path) -> Result<Open, HistoryError> {
    let to_write = History::open(file, Access::Write).and_then(|history| history.writable().map(|()| history));
    let history = match to_write {
        Err(HistoryError::Database { .. } | HistoryError::File { .. }) if file.is_file() => {
            History::open(file, Access::Read)?
        }
        other => other?,
    };
    let missing = || HistoryError::Missing { file: file.into() };
    Ok(Open { history, place: Stamp::of(file).ok_or_else(missing)?.place })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_history_that_was_made_again_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("h.sqlite"), folder.path().join("other.sqlite"));
        let store = Store::new(&file).unwrap();
        let ended = |store: &Store| store.with(|history| history.has_ended("run")).unwrap();
        assert!(!ended(&store));
        let record = serde_json::json!({
            "format": 2, "run": "run", "sequence": 1, "night": "run", "role": "first", "outcome": "rejected",
            "created": "2026-01-01T00:00:00Z", "machine": "m", "cpu": "c", "strategy": "s", "statistic": "median",
            "reference": "", "contract_set": "c", "wasmtime": "1", "estimator": "1", "budget_seconds": 1,
        });
        let record = serde_json::from_value(record).unwrap();
        History::open(&other, Access::Write).unwrap().append(&[record], true).unwrap();
        let put = |new: &Path| {
            // As `estimator history rebuild` does: what waits in the log of the old one is none of the new one's.
            for log in ["h.sqlite-wal", "h.sqlite-shm"] {
                let _ = fs::remove_file(folder.path().join(log));
            }
            fs::rename(new, &file).unwrap();
        };
        put(&other);
        assert!(ended(&store));
        fs::write(folder.path().join("none"), "no history at all, but long enough to look at").unwrap();
        put(&folder.path().join("none"));
        assert!(store.with(|history| history.count()).is_err());
    }
}
