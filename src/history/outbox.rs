//! Events wait in the database until they have been told, so that neither a kill nor a dead webhook makes them silent.

use std::collections::HashSet;

use rusqlite::{Connection, Row, params};

use super::error::HistoryError;
use super::events::{Event, Outbox};
use super::reach::Tried as _;
use super::rows::json;
use super::seal;
use super::store::History;

impl History {
    /// Keeps an event that belongs to no run. One of the same name is there already.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn keep(&mut self, event: &Event) -> Result<(), HistoryError> {
        put(&self.connection, event, false).tried(&self.file, "an event cannot be kept")
    }

    /// The events that have not been told, oldest first.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn untold(&self) -> Result<Vec<Outbox>, HistoryError> {
        let read = || -> Result<Vec<(i64, String)>, rusqlite::Error> {
            let mut query = self.connection.prepare("SELECT id, body FROM events WHERE done = 0 ORDER BY id")?;
            query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        let rows = read().tried(&self.file, "its events cannot be read")?;
        rows.into_iter()
            .map(|(row, body)| {
                let event = serde_json::from_str(&body).map_err(|error| HistoryError::Damaged {
                    file: self.file.clone(),
                    reason: format!("event {row}: {error}"),
                })?;
                Ok(Outbox { row, event })
            })
            .collect()
    }

    /// Notes that an event has been told.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn done(&mut self, row: i64) -> Result<(), HistoryError> {
        let note = || -> Result<(), rusqlite::Error> {
            let event = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
            let (name, body) =
                self.connection.query_row("SELECT name, body FROM events WHERE id = ?1", [row], event)?;
            let seal = seal::of_event(&name, &body, true);
            self.connection
                .execute("UPDATE events SET done = 1, seal = ?2 WHERE id = ?1", params![row, seal])
                .map(|_| ())
        };
        note().tried(&self.file, "an event cannot be noted as told")
    }

    /// The keys of all findings that have been confirmed before.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn told_keys(&self) -> Result<HashSet<String>, HistoryError> {
        let read = || -> Result<HashSet<String>, rusqlite::Error> {
            self.connection.prepare("SELECT key FROM told")?.query_map([], |row| row.get(0))?.collect()
        };
        read().tried(&self.file, "what was told cannot be read")
    }
}

pub(super) fn put(connection: &Connection, event: &Event, done: bool) -> Result<(), rusqlite::Error> {
    put_raw(connection, &event.id, &json(event), done)
}

/// The same with the event as it is kept.
pub(super) fn put_raw(connection: &Connection, name: &str, body: &str, done: bool) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO events (name, body, done, seal) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![name, body, done, seal::of_event(name, body, done)])
        .map(|_| ())
}
