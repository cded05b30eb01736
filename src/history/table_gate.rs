//! The charges that are measured against those of the table in force.

use super::figure::{Figure, LineKind};
use super::gate::{Candidate, key, ratio};
use super::judgement::{Finding, FindingKind, State};
use super::record::Record;
use super::series::{Series, count, level, mean};
use super::step::p_value;
use crate::model::{Form, t_quantile};
use crate::params::{Param, ParamTable};

/// Runs of the present level that are held against the table, at most.
const RECENT: usize = 7;

/// Every parameter of the table that these runs measure. On a machine that the table is not from, only a dearer charge counts:
/// that a faster machine needs less is no news.
pub(super) fn against_table(records: &[Record], table: &ParamTable) -> Vec<Candidate> {
    let Some(machine) = records.last().map(|record| record.machine.as_str()) else { return Vec::new() };
    let at_home = table.provenance.run.machine.split(" + ").any(|of| of == machine);
    let candidates = table.params.iter().filter_map(|(name, param)| held(records, table, name, param));
    candidates.filter(|candidate| at_home || candidate.finding.ratio.value > 1.0).collect()
}

fn held(records: &[Record], table: &ParamTable, name: &str, param: &Param) -> Option<Candidate> {
    let figure = Figure::new(name, LineKind::Charge, Form::Absolute);
    let series = Series::of(&figure, records);
    let era = series.era();
    let recent = &era[era.len().saturating_sub(RECENT)..];
    let since = recent.first()?.run.clone();
    let charged = Some(charged_nanos(table, param)).filter(|nanos| *nanos > 0.0)?.ln();
    let spread = series.spread(series.points.len());
    let own = mean(recent.iter().map(|point| point.error.powi(2)));
    let variance = spread.deviation.powi(2).max(own);
    // The table stands for one run of the same spread.
    let error = (variance / count(recent.len()) + spread.deviation.powi(2)).sqrt();
    let freedom = spread.freedom.min(1e6);
    let change = level(recent) - charged;
    let ratio = ratio(change, error * t_quantile(0.95, freedom));
    let state = format!("{}:{}", table.provenance.run.run, param.gas.0);
    let finding = Finding {
        kind: FindingKind::Table,
        key: key(FindingKind::Table, &figure, ratio.value, &state),
        figure,
        ratio,
        p_value: p_value(change, error, freedom),
        since,
        state: State::Suspected,
        along: Vec::new(),
    };
    Some(Candidate { finding, before: charged })
}

/// The time that the gas of a parameter pays for: what is charged, not what was once measured, so that a gas edited by hand or
/// by a changed price is seen. It lies above the measured one by what rounding up adds.
#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more than 53 bits")]
fn charged_nanos(table: &ParamTable, param: &Param) -> f64 {
    let chain = &table.provenance.chain;
    let gas_per_nano = chain.gas_per_second as f64 / 1e9;
    param.gas.0 as f64 / gas_per_nano / chain.safety_factor
}
