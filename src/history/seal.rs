//! A hash over each row that is kept. The pages of the database have none: a flipped bit in a number is sound to SQLite.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use sha2::{Digest as _, Sha256};

use super::rows::{COLUMNS, JOINED};

/// The tables whose rows stand by themselves, and what is sealed of them.
const ALONE: [(&str, &str); 3] = [("told", "key"), ("pruned", "run"), ("events", "name, body, done")];

const ESTIMATES: &str = "SELECT param, line, form, value, low, high FROM estimates \
                         LEFT JOIN figures ON figures.id = estimates.figure WHERE run = ?1 ORDER BY figure";

/// SHA-256 over values with their types and lengths.
struct Seal(Sha256);

impl Seal {
    fn of(table: &str) -> Self {
        Self(Sha256::new()).with(ValueRef::Text(table.as_bytes()))
    }

    fn with(mut self, value: ValueRef<'_>) -> Self {
        let (kind, number, bytes): (u8, u64, &[u8]) = match value {
            ValueRef::Null => (0, 0, &[]),
            ValueRef::Integer(number) => (1, number.cast_unsigned(), &[]),
            ValueRef::Real(number) => (2, number.to_bits(), &[]),
            ValueRef::Text(bytes) => (3, bytes.len() as u64, bytes),
            ValueRef::Blob(bytes) => (4, bytes.len() as u64, bytes),
        };
        self.0.update([kind]);
        self.0.update(number.to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// All columns but so many at the end.
    fn with_row(self, row: &Row<'_>, but: usize) -> Result<Self, rusqlite::Error> {
        let columns = row.as_ref().column_count() - but;
        (0..columns).try_fold(self, |seal, column| Ok(seal.with(row.get_ref(column)?)))
    }

    fn bytes(self) -> Vec<u8> {
        self.0.finalize().to_vec()
    }
}

/// The seal that a run must have, by what stands in the database.
pub(super) fn of_run(connection: &Connection, id: i64) -> Result<Vec<u8>, rusqlite::Error> {
    let run = format!("SELECT {COLUMNS} FROM {JOINED} WHERE runs.id = ?1");
    let mut seal = connection.prepare_cached(&run)?.query_row([id], |row| {
        // The node is the last column. A run without one has the seal that it had before there were any.
        let (seal, node) = (Seal::of("runs").with_row(row, 1)?, row.get_ref("node")?);
        Ok(if node == ValueRef::Null { seal } else { seal.with(node) })
    })?;
    let mut query = connection.prepare_cached(ESTIMATES)?;
    let mut rows = query.query([id])?;
    while let Some(row) = rows.next()? {
        seal = seal.with_row(row, 0)?;
    }
    Ok(seal.bytes())
}

/// Seals a run that has just been written.
pub(super) fn seal_run(connection: &Connection, id: i64) -> Result<(), rusqlite::Error> {
    let seal = of_run(connection, id)?;
    connection.prepare_cached("UPDATE runs SET seal = ?2 WHERE id = ?1")?.execute(params![id, seal]).map(|_| ())
}

/// The seal of a row of one text, in a table that has only such.
pub(super) fn of_text(table: &str, text: &str) -> Vec<u8> {
    Seal::of(table).with(ValueRef::Text(text.as_bytes())).bytes()
}

/// The seal of an event.
pub(super) fn of_event(name: &str, body: &str, done: bool) -> Vec<u8> {
    let texts =
        [name, body].into_iter().fold(Seal::of("events"), |seal, text| seal.with(ValueRef::Text(text.as_bytes())));
    texts.with(ValueRef::Integer(i64::from(done))).bytes()
}

/// Whether a run is what was written.
pub(super) fn holds(connection: &Connection, id: i64) -> Result<bool, rusqlite::Error> {
    let seal: Vec<u8> =
        connection.prepare_cached("SELECT seal FROM runs WHERE id = ?1")?.query_row([id], |row| row.get(0))?;
    Ok(seal == of_run(connection, id)?)
}

/// A sentence for every row that is not what was written.
pub(super) fn broken(connection: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let mut found = Vec::new();
    let ids: Vec<i64> = connection
        .prepare("SELECT id FROM runs ORDER BY id")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for id in ids {
        if !holds(connection, id)? {
            let name = "SELECT CAST(run AS TEXT) FROM runs WHERE id = ?1";
            let name: Option<String> =
                connection.query_row(name, [id], |row| row.get(0)).optional().unwrap_or_default();
            found.push(format!("run {} (number {id}) is not what was recorded", name.unwrap_or_default()));
        }
    }
    for (table, columns) in ALONE {
        let mut query = connection.prepare(&format!("SELECT {columns}, seal FROM {table}"))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let seal: Vec<u8> = row.get("seal")?;
            if seal != Seal::of(table).with_row(row, 1)?.bytes() {
                let name = String::from_utf8_lossy(row.get_ref(0)?.as_bytes().unwrap_or_default()).into_owned();
                found.push(format!("`{name}` of the table `{table}` is not what was recorded"));
            }
        }
    }
    Ok(found)
}
