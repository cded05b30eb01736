//! Recording.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::error::HistoryError;
use super::judgement::{FindingKind, State};
use super::record::{Record, Recorded};
use super::store::{History, Tried as _};

impl History {
    /// Records runs: all or none of them. Runs that are there already, and those that were pruned, are left as they are.
    /// Returns the runs that were new.
    ///
    /// `told` says that their events have been told already, as when they come from another history.
    ///
    /// # Errors
    /// What SQLite says: a full disk, a read-only file.
    pub fn append(&mut self, records: &[Record], told: bool) -> Result<Vec<String>, HistoryError> {
        let file = self.file.clone();
        let mut add = || -> Result<Vec<String>, rusqlite::Error> {
            let transaction = self.connection.transaction()?;
            let mut new = Vec::new();
            for record in records {
                if insert(&transaction, record, told)? {
                    new.push(record.run.clone());
                }
            }
            transaction.commit()?;
            Ok(new)
        };
        add().tried(&file, "a run cannot be recorded")
    }

    /// Makes sure that the history can be written, without writing anything that stays.
    ///
    /// # Errors
    /// It cannot: a read-only file or folder, a full disk.
    pub fn writable(&self) -> Result<(), HistoryError> {
        let probe = "BEGIN IMMEDIATE; CREATE TABLE probe (x) STRICT; ROLLBACK;";
        let probe = probe.replace("(x)", "(x INTEGER)");
        self.connection.execute_batch(&probe).tried(&self.file, "cannot be written").inspect_err(|_| {
            let _ = self.connection.execute_batch("ROLLBACK");
        })
    }
}

fn insert(transaction: &Transaction<'_>, record: &Record, told: bool) -> Result<bool, rusqlite::Error> {
    let known = "SELECT 1 FROM runs WHERE run = ?1 UNION ALL SELECT 1 FROM pruned WHERE run = ?1";
    if transaction.prepare_cached(known)?.exists([&record.run])? {
        return Ok(false);
    }
    let machine = row(transaction, "machines", &["class", "cpu"], &[&record.machine, &record.cpu])?;
    let budget = record.budget_seconds.to_string();
    let columns = ["strategy", "statistic", "contract_set", "wasmtime", "estimator", "budget_seconds"];
    let values =
        [&record.strategy, &record.statistic, &record.contract_set, &record.wasmtime, &record.estimator, &budget];
    let settings = row(transaction, "settings", &columns, &values)?;
    transaction
        .prepare_cached(
            "INSERT INTO runs (run, night, role, outcome, created, machine, settings, gas) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            record.run,
            record.night,
            json(&record.role),
            json(&record.outcome),
            record.created,
            machine,
            settings,
            json(&record.gas)
        ])?;
    let run = transaction.last_insert_rowid();
    for Recorded { figure, estimate } in &record.estimates {
        let names = [figure.param.clone(), json(&figure.line), json(&figure.form)];
        let figure = row(transaction, "figures", &["param", "line", "form"], &names.each_ref())?;
        transaction
            .prepare_cached("INSERT INTO estimates (run, figure, value, low, high) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![run, figure, estimate.value, estimate.low, estimate.high])?;
    }
    if let Some(judgement) = &record.judgement {
        transaction
            .prepare_cached("INSERT INTO verdicts (run, verdict, findings) VALUES (?1, ?2, ?3)")?
            .execute(params![run, json(&judgement.verdict), json(&judgement.findings)])?;
        let told = |state| matches!(state, State::Changed | State::Standing);
        for finding in judgement.findings.iter().filter(|finding| told(finding.state)) {
            debug_assert!(finding.state != State::Standing || finding.kind == FindingKind::Table);
            transaction.prepare_cached("INSERT OR IGNORE INTO told (key) VALUES (?1)")?.execute([&finding.key])?;
        }
    }
    for event in &record.events {
        super::outbox::put(transaction, event, Some(run), told)?;
    }
    Ok(true)
}

/// The row of a small table with these values, made if it is not there. All columns are compared as text, which SQLite's
/// affinities turn into what the column holds.
fn row(connection: &Connection, table: &str, columns: &[&str], values: &[&String]) -> Result<i64, rusqlite::Error> {
    let equal: Vec<String> = columns.iter().zip(1..).map(|(column, place)| format!("{column} = ?{place}")).collect();
    let select = format!("SELECT id FROM {table} WHERE {}", equal.join(" AND "));
    let found = connection
        .prepare_cached(&select)?
        .query_row(rusqlite::params_from_iter(values), |row| row.get(0))
        .optional()?;
    if let Some(found) = found {
        return Ok(found);
    }
    let places: Vec<String> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
    let insert = format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), places.join(", "));
    connection.prepare_cached(&insert)?.execute(rusqlite::params_from_iter(values))?;
    Ok(connection.last_insert_rowid())
}

/// A value of a closed set by its name, anything else as JSON.
pub(super) fn json<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}
