//! Recorded runs.

use serde_json::{Value, json};

use crate::history::{Figure, Finding, LineKind, Outcome, Record, Recorded, Role};
use crate::model::{Estimate, Form};
use crate::params::{INIT_BASE, INIT_PER_PAGE};
use crate::report::document::{Align, Block, Document, Facts, Section, Table};
use crate::report::words::{counted, gas, interval, key, nanos, or_dash};
use crate::units::GasUnit;

/// Runs, of so many that there are.
#[must_use]
pub fn page(records: &[Record], all: u64) -> Document {
    let row = |record: &Record| {
        let time = |found: Option<Estimate>| or_dash(found.map(|estimate| nanos(estimate.value)));
        let (cost, charge) = (cost(record, INIT_PER_PAGE), charge(record, INIT_PER_PAGE));
        [record.run.clone(), node(record), record.machine.clone(), time(cost), time(charge), verdict(record)]
    };
    let headings = ["run", "node", "machine", "a page", "charge", "verdict"];
    let table = Table::of_figures(headings, records.iter().map(row));
    let count = format!(
        "{} of {}: what a page costs by the line of least error, and the charge that covers it.",
        records.len(),
        counted(all, "run", "runs")
    );
    let blocks = vec![Block::Table(table), Block::Lead(count.into())];
    Document { sections: vec![Section::unheaded("runs", blocks)], ..Document::default() }
}

/// One run, its gas in the unit that people read it in.
#[must_use]
pub fn record(record: &Record, unit: Option<&GasUnit>) -> Document {
    let night = (record.night != record.run).then(|| ("night of", record.night.clone()));
    let facts = [
        ("number", record.sequence.to_string()),
        ("planned", record.created.clone()),
        ("outcome", verdict(record)),
        ("node", node(record)),
        ("machine", format!("{}: {}", record.machine, record.cpu)),
        ("priced", format!("{} of {}", record.statistic, record.strategy)),
        ("stated on", record.reference.clone()),
        ("contract set", record.contract_set.clone()),
        ("versions", format!("Wasmtime {}, estimator {}", record.wasmtime, record.estimator)),
    ];
    let facts = Facts::new("Run", facts.into_iter().chain(night));
    let figure = |of: &Recorded| {
        let time = if of.figure.form == Form::Reference { "on the reference" } else { "as measured" };
        [of.figure.param.clone(), key(of.figure.line), time.into(), nanos(of.estimate.value), interval(&of.estimate)]
    };
    let headings = ["figure", "line", "time", "value", "95 % interval"];
    let mut figures = Table::of_figures(headings, record.estimates.iter().map(figure));
    figures.columns[1..3].iter_mut().for_each(|column| column.align = Align::Left);
    let proposed = record.gas.iter().map(|(name, value)| [name.clone(), gas(unit, *value)]);
    let proposed = Table::of_figures(["proposed", "gas"], proposed);
    let findings = record.judgement.iter().flat_map(|judged| &judged.findings).map(Finding::sentence);
    let blocks = [
        ("run", format!("Run {}", record.run), Some(Block::Facts(facts))),
        ("figures", "Figures".into(), figures.block()),
        ("gas", "Gas".into(), proposed.block()),
        ("found", "Found".into(), Block::some(Block::Notes, findings)),
    ];
    let section = |(id, heading, block): (_, String, Option<Block>)| Some(Section::new(id, heading, vec![block?]));
    Document { sections: blocks.into_iter().filter_map(section).collect(), ..Document::default() }
}

/// The name of the machine, if it is known.
pub(super) fn node(record: &Record) -> String {
    or_dash(Some(&record.node).filter(|node| !node.is_empty()))
}

/// What a parameter costs by the line of least error.
pub(super) fn cost(record: &Record, param: &str) -> Option<Estimate> {
    of_line(record, param, LineKind::Cost)
}

/// The charge that covers a parameter.
fn charge(record: &Record, param: &str) -> Option<Estimate> {
    of_line(record, param, LineKind::Charge)
}

fn of_line(record: &Record, param: &str, line: LineKind) -> Option<Estimate> {
    let of = |form| record.estimate(&Figure::new(param, line, form));
    of(Form::Reference).or_else(|| of(Form::Measured))
}

/// What came of a run in a word.
pub(super) fn verdict(record: &Record) -> String {
    match (&record.judgement, record.outcome, record.role) {
        (Some(judgement), ..) => judgement.verdict.to_string(),
        (None, Outcome::Measured, Role::First) => "not judged".into(),
        (None, other, _) => key(other),
    }
}

/// All but the last four as in the JSON of a record.
const COLUMNS: [&str; 15] = [
    "sequence",
    "run",
    "night",
    "created",
    "node",
    "machine",
    "strategy",
    "contract_set",
    "wasmtime",
    "estimator",
    "outcome",
    "verdict",
    "page_nanos",
    "base_nanos",
    "page_charge_nanos",
];

/// A row for each run under the names of the columns. Costs are those of the line of least error in nanoseconds.
pub fn rows(records: &[Record]) -> impl Iterator<Item = [Value; 15]> {
    let row = |record: &Record| {
        let known = json!(record);
        let time = |found: Option<Estimate>| json!(found.map(|estimate| estimate.value.to_string()));
        COLUMNS.map(|name| match name {
            "verdict" => json!(record.judgement.as_ref().map(|judged| judged.verdict)),
            "page_nanos" => time(cost(record, INIT_PER_PAGE)),
            "base_nanos" => time(cost(record, INIT_BASE)),
            "page_charge_nanos" => time(charge(record, INIT_PER_PAGE)),
            name => known[name].clone(),
        })
    };
    std::iter::once(COLUMNS.map(Value::from)).chain(records.iter().map(row))
}
