//! Two tables compared.

use serde_json::{Value, json};

use crate::params::{ChargeChange, Param, ParamDiff, ParamRow, ProvenanceChange};

/// Two tables compared: every parameter, unchanged ones included.
#[must_use]
pub fn json(diff: &ParamDiff<'_>) -> Value {
    let side = |param: Option<&Param>| {
        param.map(|param| json!({ "gas": param.gas, "unit": param.unit, "nanos": param.nanos }))
    };
    let row = |row: &ParamRow<'_>| {
        json!({
            "name": row.name,
            "change": row.change,
            "old": side(row.old),
            "new": side(row.new),
            "relative": row.relative,
            "beyond_threshold": row.beyond_threshold,
        })
    };
    let charge = |charge: &ChargeChange| json!({ "pages": charge.pages, "old": charge.old, "new": charge.new, "relative": charge.relative });
    let fact = |fact: &ProvenanceChange| json!({ "key": fact.key, "old": fact.old, "new": fact.new });
    json!({
        "format": 1,
        "threshold": diff.threshold,
        "verdict": diff.verdict(),
        "counts": diff.counts(),
        "params": diff.rows.iter().map(row).collect::<Vec<_>>(),
        "charges": diff.charges.iter().map(charge).collect::<Vec<_>>(),
        "provenance": diff.provenance.iter().map(fact).collect::<Vec<_>>(),
        "objections": { "old": diff.old_objections, "new": diff.new_objections },
    })
}
