//! Looking things up.

use std::collections::HashMap;

use rusqlite::{Row, params_from_iter};
use serde::de::DeserializeOwned;

use super::error::HistoryError;
use super::judgement::Judgement;
use super::record::{RECORD_FORMAT, Record, Recorded, SeriesKey};
use super::store::{History, Tried as _};

/// Which runs to look up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only of this series.
    pub series: Option<SeriesKey>,
    /// Only of this machine class.
    pub machine: Option<String>,
    /// Only this run.
    pub run: Option<String>,
    /// Only the last so many.
    pub last: Option<u32>,
    /// Only those that were measured to their end and may be used.
    pub measured: bool,
}

impl Selection {
    fn conditions(&self) -> (String, Vec<String>) {
        let (mut conditions, mut values) = (vec!["1".to_owned()], Vec::new());
        let mut equal = |column: &str, value: &str| {
            values.push(value.to_owned());
            conditions.push(format!("{column} = ?{}", values.len()));
        };
        if let Some(series) = &self.series {
            equal("class", &series.machine);
            equal("strategy", &series.strategy);
            equal("statistic", &series.statistic);
            equal("contract_set", &series.contract_set);
        }
        if let Some(machine) = &self.machine {
            equal("class", machine);
        }
        if let Some(run) = &self.run {
            equal("runs.run", run);
        }
        if self.measured {
            equal("outcome", "measured");
        }
        (conditions.join(" AND "), values)
    }
}

const COLUMNS: &str = "runs.id, runs.run, night, role, outcome, created, class, cpu, strategy, statistic, contract_set, wasmtime, \
                       estimator, budget_seconds, gas, verdict, findings";

impl History {
    /// The selected runs, oldest first, without their events.
    ///
    /// # Errors
    /// What SQLite says, or a row that does not hold what it must.
    pub fn records(&self, selection: &Selection) -> Result<Vec<Record>, HistoryError> {
        let (conditions, values) = selection.conditions();
        let limit = selection.last.map_or(-1, i64::from);
        let chosen = format!(
            "FROM runs JOIN machines ON machines.id = runs.machine JOIN settings ON settings.id = runs.settings \
             LEFT JOIN verdicts ON verdicts.run = runs.id WHERE {conditions} ORDER BY runs.id DESC LIMIT {limit}"
        );
        let read = || -> Result<Vec<Record>, rusqlite::Error> {
            let mut query = self.connection.prepare(&format!("SELECT {COLUMNS} {chosen}"))?;
            let mut records: Vec<Record> =
                query.query_map(params_from_iter(&values), record)?.collect::<Result<_, _>>()?;
            records.reverse();
            self.add_estimates(&mut records)?;
            Ok(records)
        };
        read().tried(&self.file, "its runs cannot be read")
    }

    fn add_estimates(&self, records: &mut [Record]) -> Result<(), rusqlite::Error> {
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return Ok(()) };
        let (first, last) = (first.sequence, last.sequence);
        let mut figures = HashMap::new();
        let mut query = self.connection.prepare("SELECT id, param, line, form FROM figures")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let figure = super::Figure { param: row.get(1)?, line: named(row, 2)?, form: named(row, 3)? };
            figures.insert(row.get::<_, i64>(0)?, figure);
        }
        let mut query = self.connection.prepare(
            "SELECT run, figure, value, low, high FROM estimates WHERE run BETWEEN ?1 AND ?2 ORDER BY run, figure",
        )?;
        let mut rows = query.query([first, last])?;
        let mut place = 0;
        while let Some(row) = rows.next()? {
            let run: u64 = row.get(0)?;
            while place < records.len() && records[place].sequence < run {
                place += 1;
            }
            let Some(record) = records.get_mut(place).filter(|record| record.sequence == run) else { continue };
            let Some(figure) = figures.get(&row.get(1)?) else { continue };
            let estimate = crate::model::Estimate { value: row.get(2)?, low: row.get(3)?, high: row.get(4)? };
            record.estimates.push(Recorded { figure: figure.clone(), estimate });
        }
        Ok(())
    }

    /// How many runs there are.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count(&self) -> Result<u64, HistoryError> {
        self.connection.query_row("SELECT count(*) FROM runs", [], |row| row.get(0)).tried(&self.file, "cannot be read")
    }

    /// The number that the next run gets. It grows even over runs that were pruned.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn next_sequence(&self) -> Result<u64, HistoryError> {
        let highest = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'runs'), 0) + 1";
        self.connection.query_row(highest, [], |row| row.get(0)).tried(&self.file, "cannot be read")
    }

    /// Whether a run is recorded, or was and has been pruned.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn knows(&self, run: &str) -> Result<bool, HistoryError> {
        let known = "SELECT 1 FROM runs WHERE run = ?1 UNION ALL SELECT 1 FROM pruned WHERE run = ?1";
        let exists = || self.connection.prepare_cached(known)?.exists([run]);
        exists().tried(&self.file, "cannot be read")
    }
}

fn record(row: &Row<'_>) -> Result<Record, rusqlite::Error> {
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
        strategy: row.get(8)?,
        statistic: row.get(9)?,
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
