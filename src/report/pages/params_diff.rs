//! Two tables of parameters.

use serde_json::{Value, json};

use crate::params::{ChargeChange, Param, ParamChange, ParamDiff, ParamRow, ProbeChange, ProvenanceChange};
use crate::report::document::{Document, Section, Table};
use crate::report::words::{change, gas_of, interval, key, nanos, or_dash, or_empty};

/// Two tables compared, which fits into a comment under a pull request.
#[must_use]
pub fn page(diff: &ParamDiff<'_>) -> Document {
    let tables = [
        ("objections", "Objections", objections(diff)),
        ("params", "Parameters", params(diff)),
        ("charges", "What a call pays", charges(diff)),
        ("times", "Times behind them", times(diff)),
        ("reference", "The reference machine's probes", reference(diff)),
        ("facts", "What else differs", facts(diff, ["old", "new"])),
    ];
    let section = |(id, heading, table): (_, &str, Table)| Some(Section::new(id, heading, vec![table.block()?]));
    Document {
        about: diff.incomparable.iter().map(|why| format!("Not comparable: {why}.")).chain([counted(diff)]).collect(),
        sections: tables.into_iter().filter_map(section).collect(),
        is_comment: true,
        whole: Some("estimator diff"),
        ..Document::default()
    }
}

/// All rows by kind, so that nothing is filtered in silence.
fn counted(diff: &ParamDiff<'_>) -> String {
    let counts = diff.counts();
    let threshold = diff.threshold * 100.0;
    if counts.unchanged == diff.rows.len() {
        return format!("No difference: {} parameters are the same.", diff.rows.len());
    }
    format!(
        "{} raised, {} lowered, {} within the threshold of {threshold} %, {} within the noise, {} unsure, {} added, {} removed, {} \
         unchanged.",
        counts.raised,
        counts.lowered,
        counts.within_threshold,
        counts.within_noise,
        counts.unsure,
        counts.added,
        counts.removed,
        counts.unchanged
    )
}

/// The rows that changed, those beyond the threshold first.
fn changed<'a>(diff: &'a ParamDiff<'_>) -> Vec<&'a ParamRow<'a>> {
    let mut rows: Vec<&ParamRow> = diff.rows.iter().filter(|row| row.change != ParamChange::Unchanged).collect();
    rows.sort_by_key(|row| !row.beyond_threshold);
    rows
}

fn params(diff: &ParamDiff<'_>) -> Table {
    let row =
        |row: &ParamRow<'_>| [row.name.into(), key(row.change), gas_of(row.old), gas_of(row.new), change(row.relative)];
    Table::of_figures(["parameter", "change", "old gas", "new gas", "relative"], changed(diff).into_iter().map(row))
}

fn times(diff: &ParamDiff<'_>) -> Table {
    let side = |param: Option<&Param>| {
        [or_dash(param.map(|of| nanos(of.nanos.value))), or_empty(param.map(|of| interval(&of.nanos)))]
    };
    let row = |row: &ParamRow<'_>| [vec![row.name.to_owned()], side(row.old).into(), side(row.new).into()].concat();
    let headings = ["parameter", "old", "95 % interval", "new", "95 % interval"];
    Table::of_figures(headings, changed(diff).into_iter().map(row))
}

fn charges(diff: &ParamDiff<'_>) -> Table {
    let differ = diff.charges.iter().any(|charge| charge.old != charge.new);
    let headings = ["pages", "old charge", "new charge", "relative"];
    Table::of_figures(headings, diff.charges.iter().filter(|_| differ).map(charge))
}

/// The probes that differ between two reference machines.
pub(super) fn reference(diff: &ParamDiff<'_>) -> Table {
    let row = |probe: &ProbeChange| [probe.size.clone(), or_dash(probe.old.clone()), or_dash(probe.new.clone())];
    Table::of_figures(["probe of", "old", "new"], diff.reference.iter().map(row))
}

/// What a call pays by both tables.
pub(super) fn charge(charge: &ChargeChange) -> [String; 4] {
    [charge.pages.0.to_string(), or_dash(charge.old), or_dash(charge.new), change(charge.relative)]
}

/// What else the tables differ in.
pub(super) fn facts(diff: &ParamDiff<'_>, [old, new]: [&str; 2]) -> Table {
    let row = |fact: &ProvenanceChange| [fact.key.into(), fact.old.clone(), fact.new.clone()];
    Table::of_figures(["measured with", old, new], diff.provenance.iter().map(row))
}

fn objections(diff: &ParamDiff<'_>) -> Table {
    let sides = [("old", &diff.old_objections), ("new", &diff.new_objections)];
    let rows = sides.into_iter().flat_map(|(side, found)| found.iter().map(move |of| [side.into(), of.to_string()]));
    Table::of_figures(["table", "objection"], rows)
}

/// The same for machines: every parameter, unchanged ones included.
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
        "format": 2,
        "incomparable": diff.incomparable,
        "reference": diff.reference,
        "threshold": diff.threshold,
        "verdict": diff.verdict(),
        "counts": diff.counts(),
        "params": diff.rows.iter().map(row).collect::<Vec<_>>(),
        "charges": diff.charges.iter().map(charge).collect::<Vec<_>>(),
        "provenance": diff.provenance.iter().map(fact).collect::<Vec<_>>(),
        "objections": { "old": diff.old_objections, "new": diff.new_objections },
    })
}
