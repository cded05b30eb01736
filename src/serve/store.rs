//! The history, held open: opening one checks every row of it, which takes its time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use super::log::{Log, entry};
use super::watched::Stamp;
use crate::app::receive::recover;
use crate::history::{Access, History, HistoryError};

/// The history of a service.
pub(super) struct Store {
    file: PathBuf,
    reports: PathBuf,
    log: Log,
    openings: AtomicU64,
    open: Mutex<Option<Open>>,
}

struct Open {
    history: History,
    access: Access,
    stamps: [Option<Stamp>; 2],
}

impl Open {
    /// Whether it is still the file of that name, and shows what is in it.
    fn is_of(&self, now: &[Option<Stamp>; 2]) -> bool {
        match self.access {
            Access::Write => self.stamps[0].map(|stamp| stamp.place) == now[0].map(|stamp| stamp.place),
            // What may only be read may be read from a copy, which does not follow.
            Access::Read => self.stamps == *now,
        }
    }
}

impl Store {
    /// Opens the history, and makes it if it is not there. Runs in `reports` that were received and not recorded are recorded
    /// whenever it is opened.
    ///
    /// # Errors
    /// It is damaged, of another program or version, or cannot be read.
    pub(super) fn new(file: &Path, reports: &Path, log: Log) -> Result<Self, HistoryError> {
        let (file, reports) = (file.to_owned(), reports.to_owned());
        let store = Self { file, reports, log, openings: AtomicU64::new(0), open: Mutex::new(None) };
        let opened = store.opened()?;
        *store.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
        Ok(store)
    }

    /// Looks something up. A history that was made again since, under the same name, is opened first; one that has gone is not made.
    ///
    /// # Errors
    /// As [`Self::new`], or what is done with it.
    pub(super) fn with<T, E: From<HistoryError>>(
        &self,
        work: impl FnOnce(&mut History) -> Result<T, E>,
    ) -> Result<T, E> {
        self.reached(work, |_| true)
    }

    /// Records something. A history that could not be written when it was opened is tried again.
    ///
    /// # Errors
    /// As [`Self::with`].
    pub(super) fn recording<T, E: From<HistoryError>>(
        &self,
        work: impl FnOnce(&mut History) -> Result<T, E>,
    ) -> Result<T, E> {
        self.reached(work, |open| open.access == Access::Write)
    }

    /// How often it has been opened, which tells the states of one from those of another.
    pub(super) fn openings(&self) -> u64 {
        self.openings.load(Ordering::Relaxed)
    }

    fn reached<T, E: From<HistoryError>>(
        &self,
        work: impl FnOnce(&mut History) -> Result<T, E>,
        serves: impl FnOnce(&Open) -> bool,
    ) -> Result<T, E> {
        // A thread that ended in the middle left no transaction: SQLite takes it back.
        let mut held = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let now = stamps(&self.file);
        if !held.as_ref().is_some_and(|open| open.is_of(&now) && serves(open)) {
            *held = None;
            if now[0].is_none() {
                return Err(HistoryError::Missing { file: self.file.clone() }.into());
            }
        }
        let open = match &mut *held {
            Some(open) => open,
            none => none.insert(self.opened()?),
        };
        work(&mut open.history)
    }

    fn opened(&self) -> Result<Open, HistoryError> {
        let mut open = open(&self.file)?;
        self.openings.fetch_add(1, Ordering::Relaxed);
        if open.access == Access::Write {
            let left = recover(&self.reports, &mut open.history)?;
            if !left.is_empty() {
                entry(&self.log, "recorded", json!({ "runs": left }));
            }
        }
        Ok(open)
    }
}

/// Of the file and of its log.
fn stamps(file: &Path) -> [Option<Stamp>; 2] {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    [Stamp::of(file), Stamp::of(Path::new(&log))]
}

/// To record, or where the file cannot be written to look.
fn open(file: &Path) -> Result<Open, HistoryError> {
    let to_write = History::open(file, Access::Write).and_then(|history| history.writable().map(|()| history));
    let (history, access) = match to_write {
        Err(HistoryError::Database { .. } | HistoryError::File { .. }) if file.is_file() => {
            (History::open(file, Access::Read)?, Access::Read)
        }
        other => (other?, Access::Write),
    };
    Ok(Open { history, access, stamps: stamps(file) })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;

    fn append(file: &Path, run: &str) {
        let record = serde_json::json!({
            "format": 2, "run": run, "sequence": 1, "night": "run", "role": "first", "outcome": "rejected",
            "created": "2026-01-01T00:00:00Z", "machine": "m", "cpu": "c", "strategy": "s", "statistic": "median",
            "reference": "", "contract_set": "c", "wasmtime": "1", "estimator": "1", "budget_seconds": 1,
        });
        let record = serde_json::from_value(record).unwrap();
        History::open(file, Access::Write).unwrap().append(&[record], true).unwrap();
    }

    fn store(file: &Path) -> Store {
        Store::new(file, &file.with_file_name("reports"), Arc::new(|_: &str| {})).unwrap()
    }

    fn count(store: &Store) -> Result<u64, HistoryError> {
        store.with(|history| history.count())
    }

    #[test]
    fn a_history_that_was_made_again_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("h.sqlite"), folder.path().join("other.sqlite"));
        let store = store(&file);
        assert_eq!((count(&store).unwrap(), store.openings()), (0, 1));
        append(&other, "run");
        let put = |new: &Path| {
            // As `estimator history rebuild` does: what waits in the log of the old one is none of the new one's.
            for log in ["h.sqlite-wal", "h.sqlite-shm"] {
                let _ = fs::remove_file(folder.path().join(log));
            }
            fs::rename(new, &file).unwrap();
        };
        put(&other);
        assert_eq!((count(&store).unwrap(), store.openings()), (1, 2));
        fs::write(folder.path().join("none"), "no history at all, but long enough to look at").unwrap();
        put(&folder.path().join("none"));
        assert!(count(&store).is_err());
    }

    #[test]
    fn a_history_that_has_gone_is_an_error_and_none_is_made_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("h.sqlite");
        let store = store(&file);
        fs::remove_file(&file).unwrap();
        assert!(matches!(count(&store), Err(HistoryError::Missing { .. })));
        assert!(!file.exists());
    }

    #[test]
    fn a_history_that_could_only_be_read_follows_and_is_written_once_it_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("h.sqlite");
        append(&file, "one");
        let store = store(&file);
        let history = History::open(&file, Access::Read).unwrap();
        *store.open.lock().unwrap() = Some(Open { history, access: Access::Read, stamps: stamps(&file) });
        assert_eq!((count(&store).unwrap(), store.openings()), (1, 1));
        append(&file, "two");
        assert_eq!((count(&store).unwrap(), store.openings()), (2, 2), "it is opened again when it changes");
        let history = History::open(&file, Access::Read).unwrap();
        *store.open.lock().unwrap() = Some(Open { history, access: Access::Read, stamps: stamps(&file) });
        store.recording(|history| history.writable()).unwrap();
        assert_eq!(store.openings(), 3);
        store.recording(|history| history.writable()).unwrap();
        assert_eq!((count(&store).unwrap(), store.openings()), (2, 3));
    }
}
