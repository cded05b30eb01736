use std::fmt::Write;

use anstyle::Style;
use serde_json::{Value, json};

use super::grid::{Grid, escaped};
use crate::model::Estimate;
use crate::params::{ChargeChange, Param, ParamChange, ParamDiff, ParamRow, ProvenanceChange};
use crate::units::{Gas, Nanos};

/// The most characters of one grid in a comment, of which GitHub takes 65,536 in all.
const GRID_LIMIT: usize = 15_000;

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

/// The same for a comment under a pull request, which it fits into: rows beyond that are counted.
#[must_use]
pub fn diff_markdown(diff: &ParamDiff<'_>) -> String {
    let mut text = format!("{}\n", escaped(&counted(diff)));
    for (title, mut grid) in parts(diff) {
        let all = grid.rows.len();
        let mut length = 0;
        grid.rows.retain(|row| {
            length += row.iter().map(|cell| escaped(cell).len() + 3).sum::<usize>();
            length <= GRID_LIMIT
        });
        let _ = write!(text, "\n### {title}\n\n{}", grid.markdown());
        if grid.rows.len() < all {
            let _ = writeln!(text, "\n{} further rows do not fit here: see `estimator diff`.", all - grid.rows.len());
        }
    }
    text
}

/// The same for machines: every parameter, unchanged ones included.
#[must_use]
pub fn diff_json(diff: &ParamDiff<'_>) -> Value {
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
    let mut rows: Vec<&ParamRow> = diff.rows.iter().filter(|row| row.change != ParamChange::Unchanged).collect();
    rows.sort_by_key(|row| !row.beyond_threshold);
    let mut params = Grid::new(["parameter", "change", "old gas", "new gas", "relative"]);
    let mut times = Grid::new(["parameter", "old", "95 % interval", "new", "95 % interval"]);
    for row in rows {
        let side = |param: Option<&Param>| gas(param.map(|param| param.gas));
        let change = format!("{:?}", row.change).to_lowercase();
        params.push([row.name.into(), change, side(row.old), side(row.new), relative(row.relative)]);
        let [[old, olds], [new, news]] = [row.old, row.new].map(|param| time(param.map(|param| &param.nanos)));
        times.push([row.name.into(), old, olds, new, news]);
    }
    let mut charges = Grid::new(["pages", "old charge", "new charge", "relative"]);
    for charge in diff.charges.iter().filter(|_| diff.charges.iter().any(|charge| charge.old != charge.new)) {
        charges.push([charge.pages.0.to_string(), gas(charge.old), gas(charge.new), relative(charge.relative)]);
    }
    let mut facts = Grid::new(["measured with", "old", "new"]);
    for fact in &diff.provenance {
        facts.push([fact.key.into(), fact.old.clone(), fact.new.clone()]);
    }
    let mut objections = Grid::new(["table", "objection"]);
    for (table, found) in [("old", &diff.old_objections), ("new", &diff.new_objections)] {
        for objection in found {
            objections.push([table.into(), objection.to_string()]);
        }
    }
    let parts = [
        ("Objections", objections),
        ("Parameters", params),
        ("What a call pays", charges),
        ("Measured times behind them", times),
        ("What else differs", facts),
    ];
    parts.into_iter().filter(|(_, grid)| !grid.rows.is_empty()).collect()
}

/// A time and its interval.
fn time(nanos: Option<&Estimate>) -> [String; 2] {
    nanos.map_or_else(
        || ["–".into(), String::new()],
        |nanos| [Nanos(nanos.value).to_string(), format!("{} … {}", Nanos(nanos.low), Nanos(nanos.high))],
    )
}

fn gas(gas: Option<Gas>) -> String {
    gas.map_or_else(|| "–".into(), |gas| gas.to_string())
}

fn relative(share: Option<f64>) -> String {
    share.map_or_else(|| "–".into(), |share| format!("{:+.1} %", share * 100.0))
}
