//! The rows of a run, and how its values stand in them.

use std::collections::HashMap;

use rusqlite::{Connection, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::figure::{Figure, Recorded};
use super::judgement::Judgement;
use super::record::{RECORD_FORMAT, Record};
use crate::model::Estimate;

/// Everything that is kept of a run but for its estimates, by [`record`] and by the seal.
pub(super) const COLUMNS: &str = "runs.id, runs.run, night, role, outcome, created, class, cpu, strategy, statistic, contract_set, wasmtime, \
                       estimator, budget_seconds, gas, verdict, findings, reference, nodes.node";

/// Where these columns are. A row that leads to nothing is there all the same, for those who look for damage.
pub(super) const JOINED: &str = "runs LEFT JOIN machines ON machines.id = runs.machine LEFT JOIN settings ON settings.id = runs.settings \
                                 LEFT JOIN verdicts ON verdicts.run = runs.id LEFT JOIN nodes ON nodes.run = runs.id";

/// Adds their estimates to records.
pub(super) fn add_estimates(connection: &Connection, records: &mut [Record]) -> Result<(), rusqlite::Error> {
    let mut figures = HashMap::new();
    let mut query = connection.prepare("SELECT id, param, line, form FROM figures")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let figure = Figure { param: row.get(1)?, line: named(row, 2)?, form: named(row, 3)? };
        figures.insert(row.get::<_, i64>(0)?, figure);
    }
    // One by one: between them may be the runs of all other machines.
    let of_run = "SELECT figure, value, low, high FROM estimates WHERE run = ?1 ORDER BY figure";
    let mut query = connection.prepare_cached(of_run)?;
    for record in records {
        let mut rows = query.query([record.sequence])?;
        while let Some(row) = rows.next()? {
            let Some(figure) = figures.get(&row.get(0)?) else { continue };
            let estimate = Estimate { value: row.get(1)?, low: row.get(2)?, high: row.get(3)? };
            record.estimates.push(Recorded { figure: figure.clone(), estimate });
        }
    }
    Ok(())
}

/// One run by its number, without its estimates.
pub(super) fn one(connection: &Connection, id: i64) -> Result<Record, rusqlite::Error> {
    connection.query_row(&format!("SELECT {COLUMNS} FROM {JOINED} WHERE runs.id = ?1"), [id], record)
}

/// A run from its row, without its estimates.
pub(super) fn record(row: &Row<'_>) -> Result<Record, rusqlite::Error> {
    let verdict: Option<String> = row.get(15)?;
    let judgement = match verdict {
        Some(_) => Some(Judgement { verdict: named(row, 15)?, findings: parsed(row, 16)? }),
        None => None,
    };
    Ok(Record {
        format: RECORD_FORMAT,
        sequence: row.get(0)?,
        run: row.get(1)?,
        night: row.get(2)?,
        role: named(row, 3)?,
        outcome: named(row, 4)?,
        created: row.get(5)?,
        machine: row.get(6)?,
        cpu: row.get(7)?,
        node: row.get::<_, Option<String>>(18)?.unwrap_or_default(),
        strategy: row.get(8)?,
        statistic: row.get(9)?,
        reference: row.get(17)?,
        contract_set: row.get(10)?,
        wasmtime: row.get(11)?,
        estimator: row.get(12)?,
        budget_seconds: row.get(13)?,
        estimates: Vec::new(),
        gas: parsed(row, 14)?,
        judgement,
        events: Vec::new(),
    })
}

/// A column that names a value of a closed set.
fn named<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T, rusqlite::Error> {
    let name: String = row.get(column)?;
    serde_json::from_value(serde_json::Value::String(name)).map_err(|error| broken(column, error))
}

/// A column of JSON.
fn parsed<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T, rusqlite::Error> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| broken(column, error))
}

fn broken(column: usize, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
}

/// A value of a closed set by its name, anything else as JSON.
pub(super) fn json<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}
