//! Recorded runs.

use crate::history::{Figure, LineKind, Outcome, Record, Role};
use crate::model::{Estimate, Form};
use crate::params::{INIT_BASE, INIT_PER_PAGE};
use crate::report::document::{Block, Document, Facts, Section, Table};
use crate::report::words::{interval, nanos, or_dash};

/// Runs, of so many that there are.
#[must_use]
pub fn page(records: &[Record], all: u64) -> Document {
    let mut table = Table::of_figures(["run", "machine", "a page", "base", "verdict"]);
    for record in records {
        let cost = |param| or_dash(cost(record, param).map(|estimate| nanos(estimate.value)));
        table.push([record.run.clone(), record.machine.clone(), cost(INIT_PER_PAGE), cost(INIT_BASE), verdict(record)]);
    }
    let count = format!("{} of {all} runs; costs are those of the line of least error.", records.len());
    let blocks = vec![Block::Table(table), Block::Lead(count.into())];
    Document { sections: vec![Section::unheaded("runs", blocks)], ..Document::default() }
}

/// One run.
#[must_use]
pub fn record(record: &Record) -> Document {
    let mut facts = Facts::default();
    facts.push("number", record.sequence.to_string());
    facts.push("planned", &record.created);
    facts.push("outcome", verdict(record));
    facts.push("machine", format!("{}: {}", record.machine, record.cpu));
    facts.push("priced", format!("{} of {}", record.statistic, record.strategy));
    facts.push("contract set", &record.contract_set);
    facts.push("versions", format!("Wasmtime {}, estimator {}", record.wasmtime, record.estimator));
    if record.night != record.run {
        facts.push("night of", &record.night);
    }
    let mut figures = Table::of_figures(["figure", "value", "95 % interval"]);
    for recorded in &record.estimates {
        let estimate = &recorded.estimate;
        figures.push([recorded.figure.to_string(), nanos(estimate.value), interval(estimate)]);
    }
    let mut gas = Table::of_figures(["proposed", "gas"]);
    for (name, value) in &record.gas {
        gas.push([name.clone(), value.to_string()]);
    }
    let findings = record.judgement.iter().flat_map(|judged| &judged.findings).map(|finding| finding.sentence());
    let blocks = [
        ("run", format!("Run {}", record.run), Some(Block::Facts(facts))),
        ("figures", "Figures".into(), figures.block()),
        ("gas", "Gas".into(), gas.block()),
        ("found", "Found".into(), Block::some(Block::Notes, findings)),
    ];
    let section = |(id, heading, block): (_, String, Option<Block>)| Some(Section::new(id, heading, vec![block?]));
    Document { sections: blocks.into_iter().filter_map(section).collect(), ..Document::default() }
}

/// What a parameter costs by the line of least error.
pub(in crate::report) fn cost(record: &Record, param: &str) -> Option<Estimate> {
    record.estimate(&Figure::new(param, LineKind::Cost, Form::Absolute))
}

pub(in crate::report) const fn outcome(outcome: Outcome) -> &'static str {
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
        (None, other, _) => outcome(other).into(),
    }
}
