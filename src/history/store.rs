//! The database file: opening, format, integrity.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

use super::error::HistoryError;
use super::migrate::{self, APPLICATION, SCHEMA};
use super::reach::{Access, Reached, Tried as _, copied, half_made, reach};
use super::seal;
use crate::files;
use crate::versioned::Formats;

const FORMATS: Formats = Formats {
    oldest: SCHEMA,
    newest: SCHEMA,
    way_out: "`estimator history rebuild REPORTS` makes it again with all that it holds",
};

const TABLES: &str = concat!(include_str!("schema.sql"), include_str!("nodes.sql"));

/// An open history.
#[derive(Debug)]
pub struct History {
    pub(super) connection: Connection,
    pub(super) file: PathBuf,
    /// The copy that is read in its place where it cannot be read itself; it goes with the last who looks.
    _copy: Option<TempDir>,
}

impl History {
    /// Opens a history and checks it: whose it is, its version, its pages and indexes, and that every row is what was written.
    ///
    /// # Errors
    /// [`HistoryError::Missing`] when reading what is not there, [`HistoryError::Damaged`], [`HistoryError::Foreign`],
    /// [`HistoryError::Format`], [`HistoryError::HalfMade`], or what SQLite says.
    pub fn open(file: &Path, access: Access) -> Result<Self, HistoryError> {
        let mut history = Self::reached(file, access)?;
        if history.has_tables()? {
            let found = history.examined()?;
            if let [first, others @ ..] = &found[..] {
                let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
                return Err(HistoryError::Damaged { file: file.into(), reason: format!("{first}{more}") });
            }
        } else if access == Access::Read {
            let reason = "it holds nothing, from a start that was cut off".into();
            return Err(HistoryError::Damaged { file: file.into(), reason });
        }
        if access == Access::Write {
            history.set_up()?;
        }
        Ok(history)
    }

    /// Everything that is wrong with a history, and how many runs it holds if that is nothing.
    ///
    /// # Errors
    /// As [`Self::open`], but for damage that can be listed.
    pub fn examine(file: &Path) -> Result<(Vec<String>, u64), HistoryError> {
        let history = Self::reached(file, Access::Read)?;
        if !history.has_tables()? {
            return Ok((vec!["it holds nothing, from a start that was cut off".into()], 0));
        }
        let found = history.examined()?;
        let runs = if found.is_empty() { history.count()? } else { 0 };
        Ok((found, runs))
    }

    fn reached(file: &Path, access: Access) -> Result<Self, HistoryError> {
        if let Some(made) = half_made(file) {
            return Err(HistoryError::HalfMade { file: file.into(), made });
        }
        let failed = |action| move |source| HistoryError::File { action, file: file.into(), source };
        if file.is_dir() {
            let source = io::Error::new(io::ErrorKind::IsADirectory, "it is a folder: name a file");
            return Err(failed("open the history")(source));
        }
        if let Some(folder) = file.parent().filter(|folder| access == Access::Write && *folder != Path::new("")) {
            files::make_folder(folder).map_err(failed("make the folder of"))?;
        }
        if access == Access::Read && !file.exists() {
            return Err(HistoryError::Missing { file: file.into() });
        }
        let Reached { mut connection, mut copy } = reach(file, access)?;
        if migrate::is_due(&connection).tried(file, "cannot be read")? {
            if access == Access::Read && copy.is_none() {
                let (folder, place) = copied(file)?;
                connection = Connection::open(&place).tried(file, "cannot be opened")?;
                copy = Some(folder);
            }
            migrate::migrate(&connection).tried(file, "cannot be brought to this version")?;
        }
        connection.busy_timeout(std::time::Duration::from_secs(10)).tried(file, "cannot be set up")?;
        connection.pragma_update(None, "foreign_keys", true).tried(file, "cannot be set up")?;
        Ok(Self { connection, file: file.into(), _copy: copy })
    }

    fn has_tables(&self) -> Result<bool, HistoryError> {
        let tables = "SELECT count(*) > 0 FROM sqlite_schema";
        self.connection.query_row(tables, [], |row| row.get(0)).tried(&self.file, "cannot be read")
    }

    /// What is wrong with it, if it is a history of this version.
    fn examined(&self) -> Result<Vec<String>, HistoryError> {
        let file = || self.file.clone();
        let number = |pragma: &str| {
            let value = self.connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
            value.tried(&self.file, "cannot be read")
        };
        let (application, found) = (number("application_id")?, number("user_version")?);
        let other_tables = self.other_tables()?;
        if application != APPLICATION && !other_tables.is_empty() {
            return Err(HistoryError::Foreign { file: file() });
        }
        if found > 0 {
            FORMATS.check(&self.file, found)?;
        }
        if application != APPLICATION || found != SCHEMA {
            return Ok(vec![format!("its numbers of application and format are {application} and {found}")]);
        }
        // With other tables nothing else can be asked.
        if other_tables.is_empty() { self.wrong_content() } else { Ok(other_tables) }
    }

    /// The tables and indexes that are not as they are made. Those that somebody added are no concern of ours.
    fn other_tables(&self) -> Result<Vec<String>, HistoryError> {
        type Table = (String, String, String, Option<String>);
        let list = |connection: &Connection| -> Result<Vec<Table>, rusqlite::Error> {
            let all = "SELECT type, name, tbl_name, sql FROM sqlite_schema";
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            connection.prepare(all)?.query_map([], row)?.collect()
        };
        let wanted = || {
            let empty = Connection::open_in_memory()?;
            empty.execute_batch(TABLES)?;
            list(&empty)
        };
        let wanted = wanted().tried(&self.file, "cannot be checked")?;
        let found = list(&self.connection).tried(&self.file, "cannot be checked")?;
        let other = wanted.iter().filter(|table| !found.contains(table));
        Ok(other.map(|(kind, name, ..)| format!("the {kind} {name} is not as it was made")).collect())
    }

    /// Pages, indexes, references to rows that are not there, and rows that are not what was written.
    fn wrong_content(&self) -> Result<Vec<String>, HistoryError> {
        let find = || -> Result<Vec<String>, rusqlite::Error> {
            let mut found = Vec::new();
            self.connection.pragma_query(None, "integrity_check", |row| {
                found.push(row.get::<_, String>(0)?);
                Ok(())
            })?;
            found.retain(|line| line != "ok");
            let mut broken = self.connection.prepare("SELECT \"table\", parent FROM pragma_foreign_key_check")?;
            let mut rows = broken.query([])?;
            while let Some(row) = rows.next()? {
                found.push(format!("a row of {} without its {}", row.get::<_, String>(0)?, row.get::<_, String>(1)?));
            }
            found.extend(seal::broken(&self.connection)?);
            Ok(found)
        };
        find().tried(&self.file, "cannot be checked")
    }

    fn set_up(&mut self) -> Result<(), HistoryError> {
        // The write-ahead log lets people look while a night records; full syncing keeps what was recorded over a power cut.
        let mode: String = self
            .connection
            .pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))
            .tried(&self.file, "cannot be written")?;
        if mode != "wal" && mode != "memory" {
            let reason = format!(
                "this file system allows no write-ahead log, only mode `{mode}`: keep the history on a local disk"
            );
            return Err(HistoryError::Record { place: self.file.display().to_string(), reason });
        }
        self.connection.pragma_update(None, "synchronous", "full").tried(&self.file, "cannot be written")?;
        if !self.has_tables()? {
            let script = format!(
                "BEGIN IMMEDIATE; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA}; COMMIT;"
            );
            self.connection.execute_batch(&script).tried(&self.file, "cannot be made")?;
        }
        Ok(())
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }
}
