//! Figures over the nights.

use serde::Serialize;

use crate::history::LineKind;
use crate::model::Form;
use crate::report::TrendLine;
use crate::report::words::or_empty;

/// A figure of a run. Numbers are in nanoseconds, as short as they read back the same.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    run: &'a str,
    created: &'a str,
    param: &'a str,
    line: LineKind,
    form: Form,
    nanos: String,
    low: String,
    high: String,
    level: String,
}

/// A row for each figure of each run.
#[must_use]
pub fn rows(lines: &[TrendLine]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for line in lines {
        for (at, run) in line.runs.iter().enumerate() {
            let level = line.levels.iter().find(|level| (level.start..level.end).contains(&at));
            rows.push(Row {
                run: &run.run,
                created: &run.created,
                param: &line.figure.param,
                line: line.figure.line,
                form: line.figure.form,
                nanos: run.nanos.value.to_string(),
                low: run.nanos.low.to_string(),
                high: run.nanos.high.to_string(),
                level: or_empty(level.map(|level| level.nanos)),
            });
        }
    }
    rows
}
