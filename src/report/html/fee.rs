use crate::params::{ChargeChange, INIT_BASE, INIT_PER_PAGE, Param, ParamChange, Verdict, diff};
use crate::report::grid::Grid;
use crate::report::page::{Block, PageSection};
use crate::report::story::{Story, interval, nanos};
use crate::units::Gas;

/// The proposed fee in one sentence, and how it comes about.
pub(super) fn fee(story: &Story<'_>) -> PageSection {
    let mut blocks = Vec::new();
    if !story.fit.rejected.is_empty() && story.run.plan.experiment.proposes {
        blocks.push(Block::Warning("The fit must not be used, so no table was written.".into()));
        blocks.push(Block::List(story.fit.rejected.iter().map(ToString::to_string).collect()));
    }
    blocks.extend(story.fee_sentence().map(Block::Lead));
    if let Some(section) = story.fee() {
        blocks.push(Block::Table { title: "Proposed parameters".into(), grid: section.grid });
        blocks.push(Block::Text(section.sentences.join(" ")));
    } else if !story.run.plan.experiment.proposes {
        blocks.push(Block::Text("This run compares reset strategies; no fee follows from it.".into()));
    } else if blocks.is_empty() {
        blocks.push(Block::Text("No fee follows from this run.".into()));
    }
    let notes = super::super::notes(story);
    if !notes.is_empty() {
        blocks.push(Block::Text("To bear in mind:".into()));
        blocks.push(Block::List(notes));
    }
    PageSection { id: "fee", heading: "Proposed fee".into(), blocks }
}

/// What the proposal would change in the table in force.
pub(super) fn verdict(story: &Story<'_>) -> PageSection {
    let blocks = against(story).unwrap_or_else(|| vec![Block::Text(story.verdict())]);
    PageSection { id: "verdict", heading: "Against the table in force".into(), blocks }
}

fn against(story: &Story<'_>) -> Option<Vec<Block>> {
    let (in_force, table) = (story.in_force?, story.table?);
    let diff = diff(in_force.table, table, in_force.threshold).ok()?;
    let lead = Block::Lead(story.verdict());
    let gas = |gas: Option<Gas>| gas.map_or_else(|| "–".into(), |gas| gas.to_string());
    let share = |share: Option<f64>| share.map_or_else(|| "–".into(), |share| format!("{:+.1} %", share * 100.0));
    let mut params =
        Grid::new(["parameter", "becomes", "gas in force", "proposed gas", "change", "time in force", "proposed time"]);
    for row in &diff.rows {
        let side = |param: Option<&Param>| gas(param.map(|param| param.gas));
        let time = |param: Option<&Param>| {
            param.map_or_else(
                || "–".into(),
                |param| format!("{} ({})", nanos(param.nanos.value), interval(&param.nanos)),
            )
        };
        let within = matches!(row.change, ParamChange::Raised | ParamChange::Lowered) && !row.beyond_threshold;
        let change = format!("{:?}{}", row.change, if within { ", within the threshold" } else { "" }).to_lowercase();
        params.push([
            row.name.into(),
            change,
            side(row.old),
            side(row.new),
            share(row.relative),
            time(row.old),
            time(row.new),
        ]);
    }
    let mut charges = Grid::new(["pages", "pays in force", "would pay", "change"]);
    for ChargeChange { pages, old, new, relative } in &diff.charges {
        charges.push([pages.0.to_string(), gas(*old), gas(*new), share(*relative)]);
    }
    let mut facts = Grid::new(["measured with", "in force", "proposed"]);
    for fact in &diff.provenance {
        facts.push([fact.key.into(), fact.old.clone(), fact.new.clone()]);
    }
    let tables = [("Parameters", params), ("What a call pays", charges), ("What else differs", facts)];
    let tables = tables.into_iter().filter(|(_, grid)| !grid.rows.is_empty());
    let tables = tables.map(|(title, grid)| Block::Table { title: title.into(), grid });
    let sides = [("The table in force", &diff.old_objections), ("The proposal", &diff.new_objections)];
    let objections = sides
        .iter()
        .flat_map(|(side, found)| found.iter().map(move |objection| Block::Warning(format!("{side}: {objection}"))));
    Some(std::iter::once(lead).chain(objections).chain(tables).collect())
}

impl Story<'_> {
    /// The fee in one sentence with its intervals.
    pub(in crate::report) fn fee_sentence(&self) -> Option<String> {
        let table = self.table?;
        let (base, page) = (table.params.get(INIT_BASE)?, table.params.get(INIT_PER_PAGE)?);
        let part = |param: &Param| {
            format!("{} gas ({}; 95 % interval {})", param.gas, nanos(param.nanos.value), interval(&param.nanos))
        };
        Some(format!("A call would pay {} and, for each initial page of 64 KiB, {}.", part(base), part(page)))
    }

    /// The verdict against the table in force in a sentence.
    pub(in crate::report) fn verdict(&self) -> String {
        let Some(in_force) = self.in_force else { return "No table in force is known to hold it against.".into() };
        // By its run and by no path: the same from wherever the report is made.
        let name = format!("the table in force, of run {}", in_force.table.provenance.run.run);
        let Some(table) = self.table else { return format!("There is no proposal to hold against {name}.") };
        let diff = match diff(in_force.table, table, in_force.threshold) {
            Ok(diff) => diff,
            Err(error) => return format!("It cannot be held against {name}: {error}."),
        };
        let percent = in_force.threshold * 100.0;
        let counts = diff.counts();
        let parts = [
            (counts.raised, "raised"),
            (counts.lowered, "lowered"),
            (counts.unsure, "unsure"),
            (counts.added, "added"),
            (counts.removed, "removed"),
            (counts.unchanged, "unchanged"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let says = match diff.verdict() {
            Verdict::Same => "nothing changed",
            Verdict::Changed => "changed",
            Verdict::Unsure => "unsure",
        };
        let sides = [("in force", &diff.old_objections), ("proposed", &diff.new_objections)];
        let objections: String = sides
            .iter()
            .flat_map(|(side, found)| found.iter().map(move |objection| format!("; {side}: {objection}")))
            .collect();
        format!("Against {name}: {says} beyond {percent} % ({}){objections}", parts.join(", "))
    }
}
