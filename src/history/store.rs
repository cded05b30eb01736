//! The database file: opening, migrations, integrity.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::HistoryError;
use crate::files;

/// The newest version of the database that this program reads and writes (`PRAGMA user_version`).
pub const SCHEMA: i64 = 1;

/// What leads from each version to the next.
const MIGRATIONS: [&str; 1] = [include_str!("schema.sql")];

/// `PRAGMA application_id`: `ESTI`. It tells a history from the databases of other programs.
const APPLICATION: i64 = 0x4553_5449;

/// What a history is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only to look. Nothing is changed, made or migrated.
    Read,
    /// To record. A file that is missing is made.
    Write,
}

/// An open history.
#[derive(Debug)]
pub struct History {
    pub(super) connection: Connection,
    pub(super) file: PathBuf,
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

impl History {
    /// Opens a history and checks it: whose it is, its version, and its pages (`PRAGMA quick_check`).
    ///
    /// # Errors
    /// [`HistoryError::Missing`] when reading what is not there, [`HistoryError::Damaged`], [`HistoryError::Foreign`],
    /// [`HistoryError::NewerFormat`], or what SQLite says.
    pub fn open(file: &Path, access: Access) -> Result<Self, HistoryError> {
        if access == Access::Read && !file.exists() {
            return Err(HistoryError::Missing { file: file.into() });
        }
        let failed = |action| move |source| HistoryError::File { action, file: file.into(), source };
        if file.is_dir() {
            let source = io::Error::new(io::ErrorKind::IsADirectory, "it is a folder: name a file");
            return Err(failed("open the history")(source));
        }
        if let Some(folder) = file.parent().filter(|folder| access == Access::Write && *folder != Path::new("")) {
            files::make_folder(folder).map_err(failed("make the folder of"))?;
        }
        let connection = connect(file, access).tried(file, "cannot be opened")?;
        let mut history = Self { connection, file: file.into() };
        history.set_up(access)?;
        Ok(history)
    }

    fn set_up(&mut self, access: Access) -> Result<(), HistoryError> {
        let file = self.file.clone();
        let number = |connection: &Connection, pragma: &str| {
            connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).tried(&file, "cannot be read")
        };
        self.connection.busy_timeout(std::time::Duration::from_secs(10)).tried(&file, "cannot be set up")?;
        self.connection.pragma_update(None, "foreign_keys", true).tried(&file, "cannot be set up")?;
        let tables: i64 = self
            .connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .tried(&file, "cannot be read")?;
        let application = number(&self.connection, "application_id")?;
        if tables > 0 && application != APPLICATION {
            return Err(HistoryError::Foreign { file });
        }
        let found = number(&self.connection, "user_version")?;
        if found > SCHEMA {
            return Err(HistoryError::NewerFormat { file, found, known: SCHEMA });
        }
        if tables > 0 {
            self.quick_check()?;
        }
        match access {
            Access::Read if found < SCHEMA => {
                let reason = format!("it has format {found} of {SCHEMA}, from a start that was cut off");
                Err(HistoryError::Damaged { file, reason })
            }
            Access::Read => Ok(()),
            Access::Write => self.migrate(found),
        }
    }

    fn migrate(&mut self, found: i64) -> Result<(), HistoryError> {
        let file = self.file.clone();
        // The write-ahead log lets people look while a night records; full syncing keeps what was recorded over a power cut.
        let mode: String = self
            .connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))
            .tried(&file, "cannot be written")?;
        if mode != "wal" && mode != "memory" {
            let reason = format!(
                "this file system allows no write-ahead log, only mode `{mode}`: keep the history on a local disk"
            );
            return Err(HistoryError::Record { place: file.display().to_string(), reason });
        }
        self.connection.pragma_update(None, "synchronous", "full").tried(&file, "cannot be written")?;
        for (version, migration) in (1..).zip(MIGRATIONS).filter(|&(version, _)| version > found) {
            let script = format!(
                "BEGIN IMMEDIATE; {migration}; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {version}; COMMIT;"
            );
            self.connection.execute_batch(&script).tried(&file, "cannot be made or brought up to date")?;
        }
        Ok(())
    }

    fn quick_check(&self) -> Result<(), HistoryError> {
        self.pragma_check("quick_check").map(|found| found.into_iter().next()).and_then(|found| match found {
            None => Ok(()),
            Some(reason) => Err(HistoryError::Damaged { file: self.file.clone(), reason }),
        })
    }

    /// Everything that is wrong with the file: pages, indexes, and references to rows that are not there.
    ///
    /// # Errors
    /// The check itself cannot be made.
    pub fn check(&self) -> Result<Vec<String>, HistoryError> {
        let mut found = self.pragma_check("integrity_check")?;
        let mut broken = self
            .connection
            .prepare("SELECT \"table\", parent FROM pragma_foreign_key_check")
            .tried(&self.file, "cannot be checked")?;
        let rows = broken
            .query_map([], |row| {
                Ok(format!("a row of {} without its {}", row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })
            .tried(&self.file, "cannot be checked")?;
        for row in rows {
            found.push(row.tried(&self.file, "cannot be checked")?);
        }
        Ok(found)
    }

    fn pragma_check(&self, pragma: &str) -> Result<Vec<String>, HistoryError> {
        let mut found = Vec::new();
        let query = self.connection.pragma_query(None, pragma, |row| {
            found.push(row.get::<_, String>(0)?);
            Ok(())
        });
        query.tried(&self.file, "cannot be checked")?;
        found.retain(|line| line != "ok");
        Ok(found)
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }
}

fn connect(file: &Path, access: Access) -> Result<Connection, rusqlite::Error> {
    match access {
        Access::Write => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        }
        Access::Read => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(file, flags)?;
            let probe = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
            // Reading a write-ahead log needs a file of shared memory beside it, which a read-only folder refuses. Without a log
            // there is nothing that could change under our hands there.
            match probe {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) && !has_log(file) => {
                    let uri = format!("file:{}?immutable=1", escaped(file));
                    Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
                }
                _ => Ok(connection),
            }
        }
    }
}

fn has_log(file: &Path) -> bool {
    fs::metadata(beside(file, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// A path in an SQLite URI.
fn escaped(file: &Path) -> String {
    file.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Moves a history with its log out of the way, to a name that nothing has. Returns that name; `None` if there was nothing.
///
/// # Errors
/// The file system refuses the move.
pub fn set_aside(file: &Path) -> Result<Option<PathBuf>, HistoryError> {
    if !file.exists() {
        return Ok(None);
    }
    let moved = (1..=u32::MAX).map(|number| beside(file, &format!(".damaged-{number}"))).find(|name| !name.exists());
    let Some(moved) = moved else { return Ok(None) };
    // The log goes first: without its database nobody takes it for one.
    for suffix in ["-wal", "-shm", ""] {
        let from = beside(file, suffix);
        if from.exists() {
            let failed = |source| HistoryError::File { action: "set aside", file: from.clone(), source };
            fs::rename(&from, beside(&moved, suffix)).map_err(failed)?;
        }
    }
    if let Some(folder) = file.parent() {
        let _ = files::sync_folder(folder);
    }
    Ok(Some(moved))
}
