//! The charges that are measured against those of the table in force.

use super::figure::{Figure, LineKind};
use super::judgement::{Finding, FindingKind, State};
use super::key::key;
use super::record::Record;
use super::series::{Series, level};
use super::step::{p_value, ratio};
use crate::model::Form;
use crate::params::{Param, ParamTable, ReferenceFacts};

/// Nights of the present level that are held against the table, at most.
const RECENT: usize = 7;

/// Every parameter of the table that these runs measure. On a machine that the table is not from, only a dearer charge counts:
/// that a faster machine needs less is no news. Nothing is held against a table that is stated on another reference machine.
pub(super) fn against_table(records: &[Record], table: &ParamTable) -> Vec<Finding> {
    let Some(machine) = records.last().map(|record| record.machine.as_str()) else { return Vec::new() };
    let stated_on = table.provenance.reference.as_ref().map(ReferenceFacts::id).unwrap_or_default();
    if records.last().is_none_or(|record| record.reference != stated_on) {
        return Vec::new();
    }
    let at_home = table.provenance.run.machine.split(" + ").any(|of| of == machine);
    let findings = table.params.iter().filter_map(|(name, param)| held(records, table, name, param));
    findings.filter(|finding| at_home || finding.ratio.value > 1.0).collect()
}

fn held(records: &[Record], table: &ParamTable, name: &str, param: &Param) -> Option<Finding> {
    let figure = Figure::new(name, LineKind::Charge, Form::Reference);
    let series = Series::of(&figure, records);
    let era = series.era();
    let recent = &era[era.len().saturating_sub(RECENT)..];
    let since = recent.first()?.run.clone();
    let charged = Some(charged_nanos(table, param)).filter(|nanos| *nanos > 0.0)?.ln();
    let spread = series.spread(series.points.len());
    // The table stands for one night of the same spread.
    let error = (spread.of_mean(recent) + spread.variance).sqrt();
    let freedom = spread.freedom();
    let change = level(recent) - charged;
    let ratio = ratio(change, error, freedom);
    let series = records.last()?;
    // Other machines of a shared history are told apart: each of them may differ from the table.
    let state = format!("{}:{}:{}:{}", series.machine, series.strategy, table.provenance.run.run, param.gas.0);
    Some(Finding {
        kind: FindingKind::Table,
        key: key(FindingKind::Table, &figure, ratio.value, &state),
        figure,
        ratio,
        p_value: p_value(change, error, freedom),
        since,
        state: State::Suspected,
        along: Vec::new(),
    })
}

/// The time that the gas of a parameter pays for: what is charged, not what was once measured, so that a gas edited by hand or
/// by a changed price is seen. It lies above the measured one by what rounding up adds.
#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more than 53 bits")]
fn charged_nanos(table: &ParamTable, param: &Param) -> f64 {
    let chain = &table.provenance.chain;
    let gas_per_nano = chain.gas_per_second as f64 / 1e9;
    param.gas.0 as f64 / gas_per_nano / chain.safety_factor
}
