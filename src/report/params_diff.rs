use std::fmt::Write;

use anstyle::Style;
use serde_json::{Value, json};

use super::grid::{Grid, escaped};
use crate::params::{Param, ParamChange, ParamDiff};
use crate::units::Gas;

/// Two tables compared, for a terminal.
#[must_use]
pub fn diff_terminal(diff: &ParamDiff<'_>) -> String {
    let heading = Style::new().bold();
    let mut text = format!("{}\n", counted(diff));
    for (title, grid) in parts(diff) {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n{heading}{title}{heading:#}\n{}", grid.text());
    }
    text
}

/// The same for a comment under a pull request.
#[must_use]
pub fn diff_markdown(diff: &ParamDiff<'_>) -> String {
    let mut text = format!("{}\n", escaped(&counted(diff)));
    for (title, grid) in parts(diff) {
        let _ = write!(text, "\n### {title}\n\n{}", grid.markdown());
    }
    text
}

/// The same for machines: every parameter, unchanged ones included.
#[must_use]
pub fn diff_json(diff: &ParamDiff<'_>) -> Value {
    let side = |param: Option<&Param>| param.map(|param| json!({ "gas": param.gas, "nanos": param.nanos }));
    let row = |row: &crate::params::ParamRow<'_>| {
        json!({
            "name": row.name,
            "change": row.change,
            "old": side(row.old),
            "new": side(row.new),
            "relative": row.relative,
            "beyond_threshold": row.beyond_threshold,
        })
    };
    let charge = |charge: &crate::params::ChargeChange| json!({ "pages": charge.pages, "old": charge.old, "new": charge.new, "relative": charge.relative });
    let fact = |fact: &crate::params::ProvenanceChange| json!({ "key": fact.key, "old": fact.old, "new": fact.new });
    json!({
        "format": 1,
        "threshold": diff.threshold,
        "params": diff.rows.iter().map(row).collect::<Vec<_>>(),
        "charges": diff.charges.iter().map(charge).collect::<Vec<_>>(),
        "provenance": diff.provenance.iter().map(fact).collect::<Vec<_>>(),
    })
}

/// All rows by kind, so that nothing is filtered in silence.
fn counted(diff: &ParamDiff<'_>) -> String {
    let counts = diff.counts();
    let threshold = diff.threshold * 100.0;
    if counts.unchanged == diff.rows.len() {
        return format!("No difference: {} parameters are the same.", diff.rows.len());
    }
    format!(
        "{} raised, {} lowered ({} of these within {threshold} %), {} unsure, {} added, {} removed, {} unchanged.",
        counts.raised,
        counts.lowered,
        counts.within_threshold,
        counts.unsure,
        counts.added,
        counts.removed,
        counts.unchanged
    )
}

fn parts(diff: &ParamDiff<'_>) -> Vec<(&'static str, Grid)> {
    let mut params = Grid::new(["parameter", "change", "old gas", "new gas", "relative"]);
    for row in diff.rows.iter().filter(|row| row.change != ParamChange::Unchanged) {
        let side = |param: Option<&Param>| gas(param.map(|param| param.gas));
        let change = format!("{:?}", row.change).to_lowercase();
        params.push([row.name.into(), change, side(row.old), side(row.new), relative(row.relative)]);
    }
    let mut charges = Grid::new(["pages", "old charge", "new charge", "relative"]);
    for charge in diff.charges.iter().filter(|charge| charge.old != charge.new) {
        charges.push([charge.pages.0.to_string(), gas(charge.old), gas(charge.new), relative(charge.relative)]);
    }
    let mut facts = Grid::new(["measured with", "old", "new"]);
    for fact in &diff.provenance {
        facts.push([fact.key.into(), fact.old.clone(), fact.new.clone()]);
    }
    let parts = [("Parameters", params), ("What a call pays", charges), ("What else differs", facts)];
    parts.into_iter().filter(|(_, grid)| !grid.rows.is_empty()).collect()
}

fn gas(gas: Option<Gas>) -> String {
    gas.map_or_else(|| "–".into(), |gas| gas.to_string())
}

fn relative(share: Option<f64>) -> String {
    share.map_or_else(|| "–".into(), |share| format!("{:+.1} %", share * 100.0))
}
