//! What can still be read of a history that is damaged, or of an older format, row by row.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::error::HistoryError;
use super::reach::copied;
use super::record::Record;
use super::rows::{add_estimates, one};
use super::seal;

/// What a history still holds.
#[derive(Debug, Default)]
pub struct Salvage {
    /// The runs that are what was recorded.
    pub records: Vec<Record>,
    /// The runs that are not, or that cannot be read.
    pub broken: Vec<Broken>,
    /// Whether nothing at all could be read, so that nobody knows how many runs it held.
    pub unreadable: bool,
    /// Runs that were taken out on purpose.
    pub(super) pruned: Vec<String>,
    /// Keys of the findings that were told.
    pub(super) told: Vec<String>,
    /// Names and texts of events, and whether they were told.
    pub(super) events: Vec<(String, String, bool)>,
}

/// A run that a history no longer holds as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Its number.
    pub number: u64,
    /// Its name, where that can be read.
    pub name: Option<String>,
}

impl Broken {
    /// Whether this record is of that run.
    #[must_use]
    pub fn is(&self, record: &Record) -> bool {
        self.name.as_ref().map_or(record.sequence == self.number, |name| record.run == *name)
    }
}

impl Salvage {
    /// Whether it may have held this run and does no longer.
    #[must_use]
    pub fn lost(&self, record: &Record) -> bool {
        self.unreadable || self.broken.iter().any(|broken| broken.is(record))
    }

    /// Whether a run was taken out on purpose.
    #[must_use]
    pub fn is_pruned(&self, run: &str) -> bool {
        self.pruned.iter().any(|pruned| pruned == run)
    }
}

/// What the first hundred bytes of every history have in common: the name of the format, the size of a page, the versions of a
/// database with a log, and the fractions that SQLite has but one of.
const HEADER: &[u8; 24] = b"SQLite format 3\0\x10\x00\x02\x02\x00\x40\x20\x20";
/// Where the encoding of text stands, and the number of UTF-8.
const ENCODING: (usize, [u8; 4]) = (56, [0, 0, 0, 1]);

/// Reads what can be read, from a copy. There need not be a file.
///
/// # Errors
/// The copy cannot be made: then nothing is known.
pub fn salvage(file: &Path) -> Result<Salvage, HistoryError> {
    if !file.exists() {
        return Ok(Salvage::default());
    }
    let (_folder, copy) = copied(file)?;
    let failed = |source| HistoryError::File { action: "read the copy of", file: file.into(), source };
    let mut bytes = fs::read(&copy).map_err(failed)?;
    let length = bytes.len();
    if length == 0 {
        return Ok(Salvage::default());
    }
    if length > 100 {
        bytes[..HEADER.len()].copy_from_slice(HEADER);
        bytes[ENCODING.0..ENCODING.0 + 4].copy_from_slice(&ENCODING.1);
        fs::write(&copy, bytes).map_err(failed)?;
    }
    let mut found = Salvage::default();
    found.unreadable = read(&copy, length, &mut found).is_err();
    Ok(found)
}

fn read(copy: &Path, length: usize, found: &mut Salvage) -> Result<(), rusqlite::Error> {
    let connection = Connection::open(copy)?;
    // A database that was cut off, or of which a table is broken, is opened all the same.
    connection.pragma_update(None, "writable_schema", true)?;
    connection.prepare("SELECT id, run FROM runs")?;
    // Version 3 had no nodes. A table beside the damaged file takes nothing from its lists of free pages.
    if connection.prepare("SELECT node FROM nodes").is_err() {
        connection.execute_batch("CREATE TEMP TABLE nodes (run INTEGER PRIMARY KEY, node TEXT NOT NULL)")?;
    }
    // Version 1 had no seals.
    let sealed = connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))? != 1;
    let text = |row: &Row<'_>| row.get::<_, String>(0);
    found.told = readable(&connection, "SELECT key FROM told", text);
    found.pruned = readable(&connection, "SELECT run FROM pruned", text);
    let event = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    found.events = readable(&connection, "SELECT name, body, done FROM events ORDER BY id", event);
    // The index of names tells of runs whose rows are gone.
    let indexed = "SELECT id, run FROM runs INDEXED BY sqlite_autoindex_runs_1 ORDER BY run";
    let names: BTreeMap<i64, String> =
        readable(&connection, indexed, |row| Ok((row.get(0)?, row.get(1)?))).into_iter().collect();

    let highest = |query: &str| connection.query_row(query, [], |row| row.get::<_, Option<i64>>(0)).ok().flatten();
    // A number that is damaged is not counted up to: no row is shorter than that.
    let most = i64::try_from(length / 24).unwrap_or(i64::MAX);
    let counted = || highest("SELECT seq FROM sqlite_sequence WHERE name = 'runs'").filter(|count| *count <= most);
    let last = highest("SELECT max(id) FROM runs").filter(|last| *last <= most).or_else(counted);
    let last = last.into_iter().chain(names.keys().copied().filter(|id| *id <= most)).max().unwrap_or(0);
    let mut absent: Vec<i64> = (1..=last).filter(|&id| !run(&connection, id, sealed, found)).collect();
    // Those that were taken out on purpose are the oldest.
    absent.drain(..found.pruned.len().min(absent.len()));
    for id in absent {
        let name = names.get(&id).cloned();
        let known = |name: &String| {
            found.records.iter().any(|record| record.run == *name)
                || found.broken.iter().any(|broken| broken.name.as_ref() == Some(name))
        };
        if !name.as_ref().is_some_and(known) {
            found.broken.push(Broken { number: id.cast_unsigned(), name });
        }
    }
    Ok(())
}

/// The rows up to the first that cannot be read.
fn readable<T>(connection: &Connection, query: &str, row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
    let Ok(mut query) = connection.prepare(query) else { return Vec::new() };
    query.query_map([], row).map(|rows| rows.map_while(Result::ok).collect()).unwrap_or_default()
}

/// Reads a run, and says whether there is one of this number.
fn run(connection: &Connection, id: i64, sealed: bool, found: &mut Salvage) -> bool {
    let name = "SELECT run FROM runs WHERE id = ?1";
    let name = connection.query_row(name, [id], |row| row.get::<_, String>(0)).optional();
    if matches!(name, Ok(None)) {
        return false;
    }
    let whole = || -> Result<Option<Record>, rusqlite::Error> {
        if sealed && !seal::holds(connection, id)? {
            return Ok(None);
        }
        let mut records = vec![one(connection, id)?];
        add_estimates(connection, &mut records)?;
        Ok(records.pop())
    };
    match whole() {
        Ok(Some(record)) => found.records.push(record),
        _ => found.broken.push(Broken { number: id.cast_unsigned(), name: name.ok().flatten() }),
    }
    true
}
