//! Recorded runs.

use crate::history::Record;
use crate::params::{INIT_BASE, INIT_PER_PAGE};
use crate::report::pages::history::{cost, outcome};
use crate::report::words::or_empty;

const COLUMNS: [&str; 13] = [
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
];

/// A row for each run under the names of the columns. Costs are those of the line of least error in nanoseconds.
pub fn rows(records: &[Record]) -> impl Iterator<Item = [String; 13]> {
    let row = |record: &Record| {
        let cost = |param| or_empty(cost(record, param).map(|estimate| estimate.value));
        [
            record.sequence.to_string(),
            record.run.clone(),
            record.night.clone(),
            record.created.clone(),
            record.machine.clone(),
            record.strategy.clone(),
            record.contract_set.clone(),
            record.wasmtime.clone(),
            record.estimator.clone(),
            outcome(record.outcome).into(),
            or_empty(record.judgement.as_ref().map(|judged| judged.verdict)),
            cost(INIT_PER_PAGE),
            cost(INIT_BASE),
        ]
    };
    std::iter::once(COLUMNS.map(str::to_owned)).chain(records.iter().map(row))
}
