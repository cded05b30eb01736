//! Two runs by all that follows from them.

use super::{comparison, host, run};
use crate::params::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE};
use crate::report::document::{Block, Document, Figure, Section, Table};
use crate::report::marks::{covering, marks};
use crate::report::plot::{Axis, Chart, Ink, Series};
use crate::report::words::{gas_of, interval, nanos, or_dash};
use crate::report::{Pair, Story};

/// Two runs side by side.
#[must_use]
pub fn page(pair: &Pair<'_>) -> Document {
    let (a, b) = (&pair.a, &pair.b);
    let caption =
        "Both axes are logarithmic. Marks are points with their 95 % intervals, lines what each run would charge.";
    let figure = overlaid(pair).map(|chart| Figure { chart, caption: caption.into(), file: None });
    let figure = figure.map(|figure| Block::Figure(Box::new(figure)));
    let notes = comparison::notes(pair.comparison).into_iter().map(|note| Block::Text(note.into()));
    let lead = Block::Lead(format!("B against A: {}.", comparison::overall(pair.comparison)).into());
    let repeat = [("A:", a), ("B:", b)].into_iter();
    let repeat = repeat.flat_map(|(name, story)| [Block::Text(name.into()), Block::Code(story.run.command.clone())]);
    Document {
        title: format!("{} and {}", a.run.run, b.run.run),
        about: vec![format!("A is {}: {}", a.run.run, a.measured()), format!("B is {}: {}", b.run.run, b.measured())],
        sections: vec![
            Section::new("comparison", "Comparison", std::iter::once(lead).chain(notes).collect()),
            Section::new("fee", "Proposed fees", vec![Block::Table(fees(pair))]),
            Section::new(
                "cost",
                "Cost against pages",
                figure.into_iter().chain([Block::Table(points(pair))]).collect(),
            ),
            Section::new("checks", "Checks", vec![Block::Table(checks(pair))]),
            Section::new("machines", "Machines", vec![Block::Table(machines(pair))]),
            Section::new("repeat", "Repeat them", repeat.collect()),
        ],
        footer: format!("estimator {}", b.run.estimator),
        ..Document::default()
    }
}

fn fees(pair: &Pair<'_>) -> Table {
    let headings =
        ["parameter", "gas by A", "gas by B", "B/A", "time by A", "95 % interval", "time by B", "95 % interval"];
    let mut table = Table::of_figures(headings).titled("Parameters");
    for name in [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE] {
        let [a, b] = [&pair.a, &pair.b].map(|story| story.table.and_then(|table| table.params.get(name)));
        let [from, to] = [a, b].map(|param| param.map(|param| param.nanos));
        let ratio = from.zip(to).map(|(from, to)| format!("{:.3}", to.value / from.value));
        let times = [from, to]
            .map(|time| [or_dash(time.map(|time| nanos(time.value))), or_dash(time.map(|time| interval(&time)))]);
        let row = [name.into(), gas_of(a), gas_of(b), or_dash(ratio)].into_iter().chain(times.into_iter().flatten());
        table.push(row);
    }
    table
}

fn points(pair: &Pair<'_>) -> Table {
    let headings = ["point", "strategy", "mean ± σ in A", "mean ± σ in B", "B/A", "95 % interval", "verdict"];
    let mut table = Table::of_figures(headings).titled("B against A, point by point");
    for found in &pair.comparison.points {
        let (point, ratio) = (&found.point, found.ratio.ratio);
        table.push([
            format!("{}/{} touching {}", point.contract, point.variant, point.touched_pages()),
            point.strategy.clone(),
            comparison::mean(&found.a),
            comparison::mean(&found.b),
            format!("{:.3}", ratio.value),
            format!("{:.3} … {:.3}", ratio.low, ratio.high),
            comparison::verdict(found.ratio.verdict).into(),
        ]);
    }
    table
}

/// What the checks found in both; a side that lacks one has a dash.
fn checks(pair: &Pair<'_>) -> Table {
    let mut table = Table::of_words(["what", "A", "B"]).titled("Found, with 95 % intervals");
    let [a, b] = [&pair.a, &pair.b].map(run::checks);
    let only_b = b.iter().filter(|(check, _)| !a.iter().any(|(other, _)| other == check));
    for (check, _) in a.iter().chain(only_b) {
        let finding =
            |side: &[(_, String)]| or_dash(side.iter().find(|(of, _)| of == check).map(|(_, finding)| finding));
        table.push([check.to_string(), finding(&a), finding(&b)]);
    }
    table
}

fn machines(pair: &Pair<'_>) -> Table {
    let mut table = Table::of_words(["what", "A", "B"]).titled("Machines");
    let [a, b] = [&pair.a, &pair.b].map(|story| host::facts(&story.run.machine).rows);
    for ((name, a), (_, b)) in a.into_iter().zip(b) {
        table.push([name, a, b]);
    }
    table
}

/// The points of two runs in one picture, with their covering lines.
fn overlaid(Pair { a, b, .. }: &Pair<'_>) -> Option<Chart> {
    let sides = [a, b];
    let points = || sides.into_iter().filter_map(Story::own).flat_map(|own| &own.points);
    let still = || points().filter(|found| found.point.grown_pages().0 == 0);
    let x = Axis::pages("initial pages of 64 KiB", still().map(|found| found.point.initial_pages().0));
    let y = Axis::time("time of a call", still().flat_map(|found| [found.cost.value, found.cost.low, found.cost.high]));
    let mut series = Vec::new();
    for (at, (story, name)) in sides.into_iter().zip(["A", "B"]).enumerate() {
        let own = story.own()?;
        let still = own.points.iter().filter(|found| found.point.grown_pages().0 == 0);
        series.push(Series { name: format!("{name}: points"), ink: Ink::Series(at), shape: marks(still) });
        if let Some(model) = story.model() {
            let shape = covering(model, &x);
            series.push(Series { name: format!("{name}: covering line"), ink: Ink::Series(at), shape });
        }
    }
    let alternative =
        format!("Cost against initial pages of the runs {} and {} on logarithmic axes.", a.run.run, b.run.run);
    Some(Chart { name: "cost-of-both".into(), alternative, x, y, right: None, series })
}
