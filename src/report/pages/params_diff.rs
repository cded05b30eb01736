//! Two tables of parameters.

use serde_json::{Value, json};

use crate::params::{
    ChargeChange, Counts, LEFT_OUT, ONLY, OVERRIDDEN, Param, ParamChange, ParamDiff, ParamRow, ParamTable, ProbeChange,
    ProvenanceChange, Verdict,
};
use crate::report::document::{Block, Document, Section, Table};
use crate::report::words::{
    self, change, counted, gas, gas_of, gas_said, interval, key, nanos, or_dash, or_empty, percent, ratio,
};
use crate::units::{Bytes, Gas, Pages};

/// The size of call by which a change is told first, or the largest below that a chain allows: what linkers make of a small contract.
const USUAL: Pages = Pages(17);

/// Parameters whose intervals are named; the table of times has all.
const KNOWN: usize = 6;

/// Two tables compared, which fits into a comment under a pull request.
#[must_use]
pub fn page(diff: &ParamDiff<'_>) -> Document {
    let incomparable = diff.incomparable.iter().map(|why| format!("Not comparable: {why}."));
    let signing = Block::some(Block::List, to_sign(diff));
    let section = |id, heading: &str, block: Option<Block>| Some(Section::new(id, heading, vec![block?]));
    let shown = [
        section("objections", "Objections", objections(diff).block()),
        section("params", "Parameters", params(diff).block()),
        section("charges", "What a call pays", charges(diff).block()),
        section("signing", "Before you sign", signing),
    ];
    let folded = [
        section("times", "Times behind them", times(diff).block()),
        section("reference", "The reference machine's probes", reference(diff).block()),
        section("facts", "What else differs", facts(diff, ["old", "new"]).block()),
    ];
    let folded = folded.into_iter().flatten().map(Section::folded);
    Document {
        about: lead(diff).into_iter().chain(incomparable).chain([counts(diff)]).collect(),
        sections: shown.into_iter().flatten().chain(folded).collect(),
        is_comment: true,
        whole: Some("estimator diff"),
        ..Document::default()
    }
}

/// What the change does to a usual call, and whether it is one; `None` where nothing differs.
fn lead(diff: &ParamDiff<'_>) -> Option<String> {
    if changed(diff).is_empty() {
        return None;
    }
    let says = match diff.verdict() {
        Verdict::Same => within(diff.counts()),
        Verdict::Changed => "changed",
        Verdict::Unsure => "unsure whether it changed at all",
        Verdict::NotComparable => "not comparable",
    };
    let usual = diff.charges.iter().rev().find(|of| of.pages <= USUAL && (of.old.is_some() || of.new.is_some()));
    let pays = usual.map(|of| {
        let gas = |gas: Gas| gas_said(diff.gas_unit, gas);
        let call = format!("A call of {}", of.pages);
        match (of.old, of.new) {
            (Some(old), Some(new)) if old == new => format!("{call} pays {} as before", gas(new)),
            (Some(old), Some(new)) => {
                format!("{call} pays {} instead of {} ({})", gas(new), gas(old), change(of.relative))
            }
            (None, Some(new)) => format!("{call} pays {}, and had no charge", gas(new)),
            (old, None) => format!("{call} has no charge any more, and paid {}", gas(old.unwrap_or_default())),
        }
    });
    let pays = pays.unwrap_or_else(|| "The fees of another experiment than memory".into());
    Some(format!("{pays}: {says}."))
}

/// Within what all that moved did so, where none changed.
const fn within(counts: Counts) -> &'static str {
    match (counts.within_threshold, counts.within_noise) {
        (_, 0) => "within the threshold",
        (0, _) => "beyond the threshold, and within the noise",
        _ => "in part within the threshold, in part beyond it and within the noise",
    }
}

/// What somebody who signs the new table must know of it: how well its values are known, what was stolen, and what was accepted in spite of
/// itself.
fn to_sign(diff: &ParamDiff<'_>) -> Vec<String> {
    let rows = changed(diff);
    let known = rows.iter().filter_map(|row| {
        let width = row.new?.nanos.relative_half_width();
        width.is_finite().then(|| format!("{} to ±{:.1} %", row.name, width * 100.0))
    });
    let known: Vec<String> = known.take(KNOWN).collect();
    let told = |note: &&String| ["steal:", OVERRIDDEN, ONLY, LEFT_OUT].iter().any(|told| note.starts_with(told));
    let told = diff.new_notes.iter().filter(|_| !rows.is_empty()).filter(told).cloned();
    let known = (!known.is_empty()).then(|| format!("known, by 95 % intervals: {}", known.join(", ")));
    known.into_iter().chain(told).collect()
}

/// What another table in force does to each fee, a line each; without `before` what each is.
#[must_use]
pub fn moved(before: Option<&ParamTable>, now: &ParamTable) -> Vec<String> {
    let unit = now.provenance.chain.gas_unit.as_ref();
    let said = |gas| gas_said(unit, gas);
    let mut lines: Vec<String> = now
        .in_order()
        .filter_map(|(name, param)| match before.and_then(|table| table.params.get(name)) {
            Some(old) if old.gas == param.gas => None,
            Some(old) => Some(format!(
                "{name}: {} instead of {} ({})",
                said(param.gas),
                said(old.gas),
                percent(ratio(param.gas.0.into(), old.gas.0.into()) - 1.0)
            )),
            None => Some(format!("{name}: {}, new", said(param.gas))),
        })
        .collect();
    let gone = before.into_iter().flat_map(ParamTable::in_order).filter(|(name, _)| !now.params.contains_key(*name));
    lines.extend(gone.map(|(name, _)| format!("{name}: taken out")));
    if lines.is_empty() {
        lines.push("no fee is another: only what stands beside them".into());
    }
    lines
}

/// All rows by their kinds, so that nothing is filtered in silence.
fn counts(diff: &ParamDiff<'_>) -> String {
    let counts = diff.counts();
    let threshold = diff.threshold * 100.0;
    if counts.unchanged == diff.rows.len() {
        let all = diff.rows.len();
        return format!("No difference: {}.", counted(all, "parameter is the same", "parameters are the same"));
    }
    let kinds = [
        (counts.raised, "raised"),
        (counts.lowered, "lowered"),
        (counts.within_threshold, &*format!("within the threshold of {threshold} %")),
        (counts.within_noise, "within the noise"),
        (counts.unsure, "unsure"),
        (counts.added, "added"),
        (counts.removed, "removed"),
        (counts.unchanged, "unchanged"),
    ];
    let kinds = kinds.into_iter().filter(|(count, _)| *count > 0);
    let kinds: Vec<String> = kinds.map(|(count, kind)| format!("{count} {kind}")).collect();
    format!("{}.", kinds.join(", "))
}

/// The rows that changed, those beyond the threshold first.
fn changed<'a>(diff: &'a ParamDiff<'_>) -> Vec<&'a ParamRow<'a>> {
    let mut rows: Vec<&ParamRow> = diff.rows.iter().filter(|row| row.change != ParamChange::Unchanged).collect();
    rows.sort_by_key(|row| !row.beyond_threshold);
    rows
}

fn params(diff: &ParamDiff<'_>) -> Table {
    let row = |row: &ParamRow<'_>| {
        let gas_of = |param| gas_of(diff.gas_unit, param);
        [row.name.into(), key(row.change), gas_of(row.old), gas_of(row.new), change(row.relative)]
    };
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
    Table::of_figures(headings, diff.charges.iter().filter(|_| differ).map(|of| charge(diff, of)))
}

/// The probes that differ between two reference machines.
pub(super) fn reference(diff: &ParamDiff<'_>) -> Table {
    let row = |probe: &ProbeChange| [probed(&probe.size), or_dash(probe.old.clone()), or_dash(probe.new.clone())];
    Table::of_figures(["probe of", "old", "new"], diff.reference.iter().map(row))
}

/// What a call pays by both tables.
pub(super) fn charge(diff: &ParamDiff<'_>, charge: &ChargeChange) -> [String; 4] {
    let gas = |amount: Option<Gas>| or_dash(amount.map(|amount| gas(diff.gas_unit, amount)));
    [charge.pages.0.to_string(), gas(charge.old), gas(charge.new), change(charge.relative)]
}

/// The size of a probe, its data as people read it.
fn probed(size: &str) -> String {
    let data = size.split_once(", ").and_then(|(pages, data)| Some((pages, data.strip_suffix(" bytes of data")?)));
    let data = data.and_then(|(pages, data)| Some((pages, Bytes(data.parse().ok()?))));
    data.map_or_else(|| size.to_owned(), |(pages, data)| format!("{pages}, {} of data", words::size(data)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_says_which_of_threshold_and_noise_holds() {
        let said = |within_threshold, within_noise| {
            within(Counts { within_threshold, within_noise, ..Counts::default() }).to_owned()
        };
        assert_eq!([said(2, 0), said(0, 1)], ["within the threshold", "beyond the threshold, and within the noise"]);
        assert!(said(1, 1).contains("in part"));
    }
}
