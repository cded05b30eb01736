use std::fmt::Write;

use anstyle::Style;

use super::ReportError;
use super::grid::Grid;
use crate::history::{Figure, LineKind, Outcome, Record, Role};
use crate::model::{Estimate, Form};
use crate::params::{INIT_BASE, INIT_PER_PAGE};
use crate::units::Nanos;

/// Runs for a terminal, of so many that there are.
#[must_use]
pub fn history_terminal(records: &[Record], all: u64) -> String {
    let mut grid = Grid::new(["run", "machine", "a page", "base", "verdict"]);
    for record in records {
        let cost = |param| nanos(record.estimate(&Figure::new(param, LineKind::Cost, Form::Absolute)));
        grid.push([record.run.clone(), record.machine.clone(), cost(INIT_PER_PAGE), cost(INIT_BASE), verdict(record)]);
    }
    let shown = records.len();
    format!("{}{shown} of {all} runs; costs are those of the line of least error.\n", grid.text())
}

/// The same as CSV.
///
/// # Errors
/// Only if memory runs out.
pub fn history_csv(records: &[Record]) -> Result<String, ReportError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "sequence",
        "run",
        "night",
        "created",
        "machine",
        "strategy",
        "contract_set",
        "wasmtime",
        "estimator",
        "outcome",
        "verdict",
        "page_nanos",
        "base_nanos",
    ])?;
    for record in records {
        let cost = |param| {
            let estimate = record.estimate(&Figure::new(param, LineKind::Cost, Form::Absolute));
            estimate.map_or_else(String::new, |estimate| estimate.value.to_string())
        };
        writer.write_record([
            &record.sequence.to_string(),
            &record.run,
            &record.night,
            &record.created,
            &record.machine,
            &record.strategy,
            &record.contract_set,
            &record.wasmtime,
            &record.estimator,
            outcome(record.outcome),
            &record.judgement.as_ref().map_or_else(String::new, |judged| judged.verdict.to_string()),
            &cost(INIT_PER_PAGE),
            &cost(INIT_BASE),
        ])?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// One run for a terminal.
#[must_use]
pub fn record_terminal(record: &Record) -> String {
    let heading = Style::new().bold();
    let mut facts = Grid::default();
    let mut fact = |name: &str, value: String| facts.rows.push(vec![name.into(), value]);
    fact("number", record.sequence.to_string());
    fact("planned", record.created.clone());
    fact("outcome", verdict(record));
    fact("machine", format!("{}: {}", record.machine, record.cpu));
    fact("priced", format!("{} of {}", record.statistic, record.strategy));
    fact("contract set", record.contract_set.clone());
    fact("versions", format!("Wasmtime {}, estimator {}", record.wasmtime, record.estimator));
    if record.night != record.run {
        fact("night of", record.night.clone());
    }
    let mut text = format!("{heading}Run {}{heading:#}\n{}", record.run, facts.text());
    let mut figures = Grid::new(["figure", "value", "95 % interval"]);
    for recorded in &record.estimates {
        let Estimate { value, low, high } = recorded.estimate;
        figures.push([
            recorded.figure.to_string(),
            Nanos(value).to_string(),
            format!("{} … {}", Nanos(low), Nanos(high)),
        ]);
    }
    // Writing to a `String` cannot fail.
    if !figures.rows.is_empty() {
        let _ = write!(text, "\n{heading}Figures{heading:#}\n{}", figures.text());
    }
    if !record.gas.is_empty() {
        let mut gas = Grid::new(["proposed", "gas"]);
        for (name, value) in &record.gas {
            gas.push([name.clone(), value.to_string()]);
        }
        let _ = write!(text, "\n{heading}Gas{heading:#}\n{}", gas.text());
    }
    let findings = record.judgement.iter().flat_map(|judged| &judged.findings);
    for (place, finding) in findings.enumerate() {
        if place == 0 {
            let _ = writeln!(text, "\n{heading}Found{heading:#}");
        }
        let _ = writeln!(text, "  {}", finding.sentence());
    }
    text
}

fn nanos(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| "–".into(), |estimate| Nanos(estimate.value).to_string())
}

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Measured => "measured",
        Outcome::Rejected => "rejected",
        Outcome::Unfinished => "unfinished",
    }
}

fn verdict(record: &Record) -> String {
    match (&record.judgement, record.outcome, record.role) {
        (Some(judgement), ..) => judgement.verdict.to_string(),
        (None, Outcome::Measured, Role::First) => "not judged".into(),
        (None, Outcome::Measured, _) => "measured".into(),
        (None, other, _) => outcome(other).into(),
    }
}
