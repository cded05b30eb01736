use crate::params::{Objection, Param, ParamChange, ParamDiff, ParamRow, Verdict, diff};
use crate::report::Story;
use crate::report::document::{Block, Table};
use crate::report::pages::params_diff;
use crate::report::words::{change, gas_of, interval, key, nanos, or_dash};

/// What the proposal would change in the table in force.
pub(super) fn blocks(story: &Story<'_>) -> Vec<Block> {
    let held = story.in_force.zip(story.table);
    let diff = held.and_then(|(in_force, table)| diff(in_force.table, table, in_force.threshold).ok());
    let Some(diff) = diff else { return vec![Block::Text(verdict(story).into())] };
    let objections = objections(&diff, ["The table in force", "The proposal"]);
    let objections = objections.map(|objection| Block::Warning(objection.into()));
    let tables = [
        ("Parameters", params(story, &diff)),
        ("What a call pays", charges(&diff)),
        ("The reference machine's probes", params_diff::reference(&diff)),
        ("What else differs", params_diff::facts(&diff, ["in force", "proposed"])),
    ];
    let tables = tables.into_iter().filter_map(|(title, table)| table.titled(title).block());
    std::iter::once(Block::Lead(verdict(story).into())).chain(objections).chain(tables).collect()
}

fn params(story: &Story<'_>, diff: &ParamDiff<'_>) -> Table {
    let time = |param: Option<&Param>| {
        or_dash(param.map(|param| format!("{} ({})", nanos(param.nanos.value), interval(&param.nanos))))
    };
    let row = |row: &ParamRow<'_>| {
        let becomes = key(row.change).replace('-', " ");
        let gas_of = |param| gas_of(story.gas_unit(), param);
        let gas = [gas_of(row.old), gas_of(row.new), change(row.relative)];
        [vec![row.name.into(), becomes], gas.into(), vec![time(row.old), time(row.new)]].concat()
    };
    let headings = ["parameter", "becomes", "gas in force", "proposed gas", "change", "time in force", "proposed time"];
    Table::of_figures(headings, diff.rows.iter().map(row))
}

fn charges(diff: &ParamDiff<'_>) -> Table {
    let headings = ["pages", "pays in force", "would pay", "change"];
    Table::of_figures(headings, diff.charges.iter().map(|charge| params_diff::charge(diff, charge)))
}

/// What speaks against either table, under the names of the two.
fn objections(diff: &ParamDiff<'_>, [old, new]: [&'static str; 2]) -> impl Iterator<Item = String> {
    let side = |name, found: &[Objection]| {
        found.iter().map(move |objection| format!("{name}: {objection}")).collect::<Vec<_>>()
    };
    [side(old, &diff.old_objections), side(new, &diff.new_objections)].into_iter().flatten()
}

/// The verdict against the table in force in a sentence.
pub(super) fn verdict(story: &Story<'_>) -> String {
    let Some(in_force) = story.in_force else { return "No table in force is known to hold it against.".into() };
    // By its run and by no path: the same from wherever the report is made.
    let name = format!("the table in force, of run {}", in_force.table.provenance.run.run);
    let Some(table) = story.table else { return format!("There is no proposal to hold against {name}.") };
    let diff = match diff(in_force.table, table, in_force.threshold) {
        Ok(diff) => diff,
        Err(error) => return format!("It cannot be held against {name}: {error}."),
    };
    let counts = diff.counts();
    let parts = [
        (counts.raised, ParamChange::Raised),
        (counts.lowered, ParamChange::Lowered),
        (counts.within_threshold, ParamChange::WithinThreshold),
        (counts.within_noise, ParamChange::WithinNoise),
        (counts.unsure, ParamChange::Unsure),
        (counts.added, ParamChange::Added),
        (counts.removed, ParamChange::Removed),
        (counts.unchanged, ParamChange::Unchanged),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("{count} {}", key(what).replace('-', " "))).collect();
    let says = match diff.verdict() {
        Verdict::Same => "nothing changed",
        Verdict::Changed => "changed",
        Verdict::Unsure => "unsure",
        Verdict::NotComparable => return format!("Not comparable with {name}: {}.", diff.incomparable.join("; ")),
    };
    let beyond = format!("{says} beyond {} % ({})", in_force.threshold * 100.0, parts.join(", "));
    let said: Vec<String> = std::iter::once(beyond).chain(objections(&diff, ["in force", "proposed"])).collect();
    format!("Against {name}: {}", said.join("; "))
}
