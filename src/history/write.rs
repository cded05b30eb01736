//! Recording.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::error::HistoryError;
use super::figure::Recorded;
use super::judgement::{FindingKind, State};
use super::reach::Tried as _;
use super::record::{Outcome, Record};
use super::rows::json;
use super::seal;
use super::store::History;

impl History {
    /// Records runs: all or none of them. Runs that are there already, and those that were pruned, are left as they are; but one
    /// that is there as unfinished and has ended since takes its own place. Returns the runs that were new or have ended.
    ///
    /// `told` says that their events have been told already, as when they come from another history.
    ///
    /// # Errors
    /// What SQLite says: a full disk, a read-only file.
    pub fn append(&mut self, records: &[Record], told: bool) -> Result<Vec<String>, HistoryError> {
        let file = self.file.clone();
        let mut add = || -> Result<Vec<String>, rusqlite::Error> {
            let transaction = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let new = insert_all(&transaction, records, told)?;
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

/// What [`History::append`] does within its transaction.
pub(super) fn insert_all(
    transaction: &Transaction<'_>,
    records: &[Record],
    told: bool,
) -> Result<Vec<String>, rusqlite::Error> {
    let mut new = Vec::new();
    for record in records {
        if insert(transaction, record, told)? {
            new.push(record.run.clone());
        }
    }
    Ok(new)
}

fn insert(transaction: &Transaction<'_>, record: &Record, told: bool) -> Result<bool, rusqlite::Error> {
    if transaction.prepare_cached("SELECT 1 FROM pruned WHERE run = ?1")?.exists([&record.run])? {
        return Ok(false);
    }
    let known = transaction
        .prepare_cached("SELECT id, outcome FROM runs WHERE run = ?1")?
        .query_row([&record.run], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    let place = match known {
        Some((_, outcome)) if outcome != json(&Outcome::Unfinished) || record.outcome == Outcome::Unfinished => {
            return Ok(false);
        }
        Some((place, _)) => {
            transaction.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([place])?;
            Some(place)
        }
        None => None,
    };
    let machine = row(transaction, "machines", &["class", "cpu"], &[&record.machine, &record.cpu])?;
    let budget = record.budget_seconds.to_string();
    let columns = ["strategy", "statistic", "reference", "contract_set", "wasmtime", "estimator", "budget_seconds"];
    let Record { strategy, statistic, reference, contract_set, wasmtime, estimator, .. } = record;
    let values = [strategy, statistic, reference, contract_set, wasmtime, estimator, &budget];
    let settings = row(transaction, "settings", &columns, &values)?;
    transaction
        .prepare_cached(
            "INSERT INTO runs (id, run, night, role, outcome, created, machine, settings, gas, seal) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, x'')",
        )?
        .execute(params![
            place,
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
    if !record.node.is_empty() {
        transaction
            .prepare_cached("INSERT INTO nodes (run, node) VALUES (?1, ?2)")?
            .execute(params![run, record.node])?;
    }
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
            put_text(transaction, "told", &finding.key)?;
        }
    }
    for event in &record.events {
        super::outbox::put(transaction, event, told)?;
    }
    seal::seal_run(transaction, run)?;
    Ok(true)
}

/// Adds a row of one text and its seal, unless it is there.
pub(super) fn put_text(connection: &Connection, table: &str, text: &str) -> Result<(), rusqlite::Error> {
    let insert = format!("INSERT OR IGNORE INTO {table} VALUES (?1, ?2)");
    connection.prepare_cached(&insert)?.execute(params![text, seal::of_text(table, text)]).map(|_| ())
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
