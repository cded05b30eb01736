//! Connections to a database that may be another user's, on a read-only disk, or left open by a job that was killed.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempDir;

use super::error::HistoryError;

/// What a history is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only to look. Nothing is changed, made or migrated.
    Read,
    /// To record. A file that is missing is made.
    Write,
}

/// Gives a failure of SQLite its file and what was tried.
pub(super) trait Tried<T> {
    fn tried(self, file: &Path, what: &'static str) -> Result<T, HistoryError>;
}

impl<T> Tried<T> for Result<T, rusqlite::Error> {
    fn tried(self, file: &Path, what: &'static str) -> Result<T, HistoryError> {
        self.map_err(|source| match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                HistoryError::Damaged { file: file.into(), reason: source.to_string() }
            }
            _ => HistoryError::Database { file: file.into(), what, source },
        })
    }
}

/// How a history that was made again is named as long as it waits for its place.
pub(super) const MADE: &str = ".rebuilt";

/// The history that was made again and has not its place yet, because the job was killed in between.
pub(super) fn half_made(file: &Path) -> Option<PathBuf> {
    Some(sibling(file, MADE)).filter(|made| made.exists())
}

/// A connection, and the copy that it leads to where it does not lead to the file itself.
pub(super) struct Reached {
    pub(super) connection: Connection,
    pub(super) copy: Option<TempDir>,
}

/// Connects to a database.
pub(super) fn reach(file: &Path, access: Access) -> Result<Reached, HistoryError> {
    let direct = |connection| Reached { connection, copy: None };
    let flags = match access {
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
    } | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags).tried(file, "cannot be opened")?;
    if access == Access::Write {
        return Ok(direct(connection));
    }
    let probe = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    // Reading a write-ahead log needs a file of shared memory beside it. SQLite cannot open one that it may not make in a folder of
    // another user, and calls the database read-only where that file is there and it may not write to it.
    match probe.map_err(|error| error.sqlite_error_code()) {
        Err(Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) if !has_log(file) => {
            let uri = format!("file:{}?immutable=1", escaped(file));
            let immutable = Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI);
            immutable.map(direct).tried(file, "cannot be opened")
        }
        // A log that was left must be gone through, which only a copy allows.
        Err(Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) => {
            let (copy, place) = copied(file)?;
            let connection = Connection::open(&place).tried(file, "cannot be opened")?;
            Ok(Reached { connection, copy: Some(copy) })
        }
        _ => Ok(direct(connection)),
    }
}

/// A copy of a database with its log in a temporary folder, which goes when the first of the two is dropped.
pub(super) fn copied(file: &Path) -> Result<(TempDir, PathBuf), HistoryError> {
    let failed = |action, file: &Path| {
        let file = file.into();
        move |source| HistoryError::File { action, file, source }
    };
    let folder = tempfile::tempdir().map_err(failed("make a copy of", file))?;
    let place = folder.path().join("copy.sqlite");
    for suffix in ["", "-wal"] {
        let (from, to) = (sibling(file, suffix), sibling(&place, suffix));
        if from.exists() {
            let bytes = fs::read(&from).map_err(failed("read", &from))?;
            fs::write(&to, bytes).map_err(failed("write", &to))?;
        }
    }
    Ok((folder, place))
}

/// Whether something waits in the log of a database.
pub(super) fn has_log(file: &Path) -> bool {
    fs::metadata(sibling(file, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// A path in an SQLite URI.
fn escaped(file: &Path) -> String {
    file.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// The file with an ending added to its name.
pub(super) fn sibling(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
