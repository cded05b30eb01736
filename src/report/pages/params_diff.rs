//! Two tables of parameters.

use crate::params::{ParamChange, ParamDiff, ParamRow};
use crate::report::document::{Document, Section, Table};
use crate::report::words::{change, gas_of, interval, nanos, or_dash};

/// Two tables compared, which fits into a comment under a pull request.
#[must_use]
pub fn page(diff: &ParamDiff<'_>) -> Document {
    let tables = [
        ("objections", "Objections", objections(diff)),
        ("params", "Parameters", params(diff)),
        ("charges", "What a call pays", charges(diff)),
        ("times", "Measured times behind them", times(diff)),
        ("facts", "What else differs", facts(diff, ["old", "new"])),
    ];
    let section = |(id, heading, table): (_, &str, Table)| Some(Section::new(id, heading, vec![table.block()?]));
    Document {
        about: vec![counted(diff)],
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

/// The rows that changed, those beyond the threshold first.
fn changed<'a>(diff: &'a ParamDiff<'_>) -> Vec<&'a ParamRow<'a>> {
    let mut rows: Vec<&ParamRow> = diff.rows.iter().filter(|row| row.change != ParamChange::Unchanged).collect();
    rows.sort_by_key(|row| !row.beyond_threshold);
    rows
}

fn params(diff: &ParamDiff<'_>) -> Table {
    let mut table = Table::of_figures(["parameter", "change", "old gas", "new gas", "relative"]);
    for row in changed(diff) {
        table.push([row.name.into(), name(row.change).into(), gas_of(row.old), gas_of(row.new), change(row.relative)]);
    }
    table
}

fn times(diff: &ParamDiff<'_>) -> Table {
    let mut table = Table::of_figures(["parameter", "old", "95 % interval", "new", "95 % interval"]);
    for row in changed(diff) {
        let sides = [row.old, row.new].map(|param| {
            param
                .map_or_else(|| ["–".into(), String::new()], |param| [nanos(param.nanos.value), interval(&param.nanos)])
        });
        table.push(std::iter::once(row.name.to_owned()).chain(sides.into_iter().flatten()));
    }
    table
}

fn charges(diff: &ParamDiff<'_>) -> Table {
    let mut table = Table::of_figures(["pages", "old charge", "new charge", "relative"]);
    for charge in diff.charges.iter().filter(|_| diff.charges.iter().any(|charge| charge.old != charge.new)) {
        table.push([charge.pages.0.to_string(), or_dash(charge.old), or_dash(charge.new), change(charge.relative)]);
    }
    table
}

/// What else the tables differ in.
pub(super) fn facts(diff: &ParamDiff<'_>, [old, new]: [&str; 2]) -> Table {
    let mut table = Table::of_figures(["measured with", old, new]);
    for fact in &diff.provenance {
        table.push([fact.key, &fact.old, &fact.new]);
    }
    table
}

fn objections(diff: &ParamDiff<'_>) -> Table {
    let mut table = Table::of_figures(["table", "objection"]);
    for (side, found) in [("old", &diff.old_objections), ("new", &diff.new_objections)] {
        found.iter().for_each(|objection| table.push([side.to_owned(), objection.to_string()]));
    }
    table
}

/// What became of a parameter.
pub(super) const fn name(change: ParamChange) -> &'static str {
    match change {
        ParamChange::Added => "added",
        ParamChange::Removed => "removed",
        ParamChange::Raised => "raised",
        ParamChange::Lowered => "lowered",
        ParamChange::Unchanged => "unchanged",
        ParamChange::Unsure => "unsure",
    }
}
