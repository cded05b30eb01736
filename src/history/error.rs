use std::io;
use std::path::PathBuf;

use rusqlite::ffi::SQLITE_IOERR_WRITE;

use crate::versioned::VersionedError;

/// What can be wrong with a history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// The database refuses something.
    #[error("the history {}: {what}: {source}", file.display())]
    Database {
        /// The file.
        file: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The file is there and is no sound history.
    #[error(
        "the history {} is damaged: {reason}. It is left as it is; `estimator history rebuild REPORTS` sets it aside and makes a new \
         one from what can be read of it and the run folders",
        file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What the check found.
        reason: String,
    },
    /// The file is a database of another program.
    #[error("{} is a database of another program: name another file with --history", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The history or a record is of another format.
    #[error(transparent)]
    Format(#[from] VersionedError),
    /// A job was killed while it put a history that it had made again in its place.
    #[error(
        "the history {} was made again as {}, which has not its place yet: `estimator nightly` or `estimator history rebuild REPORTS` \
         puts it there",
        file.display(),
        made.display()
    )]
    HalfMade {
        /// The file.
        file: PathBuf,
        /// What is to take its place.
        made: PathBuf,
    },
    /// There is no such file.
    #[error("no history {}: `estimator nightly` makes it, or `estimator history rebuild REPORTS`, with `--all` from runs made by hand", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {source}", file.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file.
        file: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// A record does not say what a record must.
    #[error("{}: {reason}", place)]
    Record {
        /// File, and line if it has several records.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// Another job holds the lock.
    #[error("another nightly run holds {}: {holder}. Wait for it, or end it", file.display())]
    Locked {
        /// The lock file.
        file: PathBuf,
        /// Who holds it, as far as the file says.
        holder: String,
    },
}

impl HistoryError {
    /// Whether the disk has no room for it.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let Self::Database { source, .. } = self else { return false };
        // A quota, and a limit of the size of files, are errors of writing to SQLite.
        let cannot_grow = source.sqlite_error().is_some_and(|error| error.extended_code == SQLITE_IOERR_WRITE);
        cannot_grow || source.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
    }

    /// Whether the files do not go together with this version.
    #[must_use]
    pub const fn is_incompatible(&self) -> bool {
        match self {
            Self::Format(error) => error.is_other_format(),
            other => matches!(other, Self::Foreign { .. }),
        }
    }
}
