//! Real contracts held against their charges.

use serde::Serialize;
use serde_json::{Value, json};

use crate::model::ChargeVerdict;
use crate::report::Verification;
use crate::units::Exact;

/// A row for each contract, also those that could not be measured. Times are in nanoseconds; `used` is a share of the charge
/// before the safety factor.
#[derive(Debug, Default, Serialize)]
pub struct Row<'a> {
    file: &'a str,
    pages: Option<u32>,
    instantiate_ns: Option<f64>,
    first_touch_ns: Option<f64>,
    warm_touch_ns: Option<f64>,
    reset_ns: Option<f64>,
    cost_ns: Option<f64>,
    cost_low_ns: Option<f64>,
    cost_high_ns: Option<f64>,
    charge_ns: Option<f64>,
    used: Option<f64>,
    used_low: Option<f64>,
    used_high: Option<f64>,
    used_with_safety: Option<f64>,
    verdict: Option<ChargeVerdict>,
    cycles: Option<usize>,
    reason: Option<&'a str>,
}

/// The contracts that were measured, then the others.
pub fn rows(found: &Verification) -> impl Iterator<Item = Row<'_>> {
    let measured = found.points().iter().map(|point| Row {
        file: &point.fit.point.contract,
        pages: Some(point.fit.point.initial_pages().0),
        instantiate_ns: Some(point.fit.phase("instantiate").0),
        first_touch_ns: Some(point.fit.phase("first_touch").0),
        warm_touch_ns: Some(point.fit.phase("warm_touch").0),
        reset_ns: Some(point.fit.phase("reset").0),
        cost_ns: Some(point.fit.cost.value),
        cost_low_ns: Some(point.fit.cost.low),
        cost_high_ns: Some(point.fit.cost.high),
        charge_ns: Some(point.charge),
        used: Some(point.used.value),
        used_low: Some(point.used.low),
        used_high: Some(point.used.high),
        used_with_safety: Some(point.used.value / found.safety_factor),
        verdict: Some(point.verdict),
        cycles: Some(point.fit.cycles),
        reason: None,
    });
    let others = found.unmeasured.iter().map(|contract| Row {
        file: &contract.name,
        reason: Some(&contract.reason),
        ..Row::default()
    });
    measured.chain(others)
}

/// The contracts for machines.
#[must_use]
pub fn json(found: &Verification) -> Value {
    json!({
        "format": 1,
        "strategy": found.strategy,
        "seed": Exact(found.seed),
        "processes": found.processes,
        "safety_factor": found.safety_factor,
        "slope": found.charged.as_ref().map(|charged| charged.slope),
        "slope_normalised": found.charged.as_ref().and_then(|charged| charged.normalised),
        "over": found.count(ChargeVerdict::Over),
        "unsure": found.count(ChargeVerdict::Unsure),
        "covered": found.count(ChargeVerdict::Covered),
        "unmeasured": found.unmeasured.len(),
        "objections": found.objections,
        "contracts": rows(found).collect::<Vec<_>>(),
    })
}
