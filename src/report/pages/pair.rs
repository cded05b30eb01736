//! Two runs by all that follows from them.

use serde_json::{Value, json};

use super::run::{self, Check};
use super::{comparison, host};
use crate::experiment::parameters;
use crate::model::PointComparison;
use crate::params::Param;
use crate::report::document::{Block, Document, Figure, Section, Table};
use crate::report::marks::{by_cost, by_pages, costs, covering, still};
use crate::report::plot::{Chart, Series};
use crate::report::words::{gas_of, interval, nanos, or_dash};
use crate::report::{Pair, Story};

/// Two runs side by side.
#[must_use]
pub fn page(pair: &Pair<'_>) -> Document {
    let (a, b) = (&pair.a, &pair.b);
    let caption =
        "Both axes are logarithmic. Marks are points with their 95 % intervals, lines what each run would charge.";
    let figure = overlaid(pair).map(|chart| Figure { chart, caption: caption.into() }.block());
    let notes = comparison::notes(pair.comparison, true).into_iter().map(|note| Block::Text(note.into()));
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
    let row = |name: &str| {
        let [a, b] = [&pair.a, &pair.b].map(|story| story.table.and_then(|table| table.params.get(name)));
        let ratio = a.zip(b).map(|(a, b)| format!("{:.3}", b.nanos.value / a.nanos.value));
        let time = |param: Option<&Param>| or_dash(param.map(|param| nanos(param.nanos.value)));
        let range = |param: Option<&Param>| or_dash(param.map(|param| interval(&param.nanos)));
        let (gas_a, gas_b) = (gas_of(pair.a.gas_unit(), a), gas_of(pair.b.gas_unit(), b));
        [name.into(), gas_a, gas_b, or_dash(ratio), time(a), range(a), time(b), range(b)]
    };
    let gas = ["parameter", "gas by A", "gas by B", "B/A"];
    let times = ["time by A", "95 % interval", "time by B", "95 % interval"];
    let priced = |name: &str| {
        [&pair.a, &pair.b].iter().any(|story| story.table.is_some_and(|table| table.params.contains_key(name)))
    };
    let rows = parameters().map(|parameter| parameter.name).filter(|name| priced(name)).map(row);
    Table::of_figures(gas.into_iter().chain(times), rows).titled("Parameters")
}

fn points(pair: &Pair<'_>) -> Table {
    let row = |found: &PointComparison| {
        let (point, ratio) = (&found.point, found.ratio.ratio);
        let name = format!("{}/{} touching {}", point.contract, point.variant, point.touched_pages());
        let [a, b] = [&found.a, &found.b].map(comparison::mean);
        let range = format!("{:.3} … {:.3}", ratio.low, ratio.high);
        let verdict = comparison::verdict(found.ratio.verdict).into();
        [name, point.strategy.clone(), a, b, format!("{:.3}", ratio.value), range, verdict]
    };
    let headings = ["point", "strategy", "mean ± σ in A", "mean ± σ in B", "B/A", "95 % interval", "verdict"];
    Table::of_figures(headings, pair.comparison.points.iter().map(row)).titled("B against A, point by point")
}

/// What the checks found in both; a side that lacks one has a dash.
fn checks(pair: &Pair<'_>) -> Table {
    let [a, b] = [&pair.a, &pair.b].map(run::checks);
    let only_b = b.iter().filter(|(check, _)| !a.iter().any(|(other, _)| other == check));
    let row = |(check, _): &(Check, String)| {
        let finding =
            |side: &[(Check, String)]| or_dash(side.iter().find(|(of, _)| of == check).map(|(_, found)| found));
        [check.to_string(), finding(&a), finding(&b)]
    };
    Table::of_words(["what", "A", "B"], a.iter().chain(only_b).map(row)).titled("Found, with 95 % intervals")
}

fn machines(pair: &Pair<'_>) -> Table {
    let [a, b] = [&pair.a, &pair.b].map(|story| host::facts(&story.run.machine).rows);
    let rows = a.into_iter().zip(b).map(|((name, a), (_, b))| [name, a, b]);
    Table::of_words(["what", "A", "B"], rows).titled("Machines")
}

/// Both runs and the comparison.
#[must_use]
pub fn json(pair: &Pair<'_>) -> Value {
    json!({ "format": 1, "a": run::json(&pair.a), "b": run::json(&pair.b), "comparison": pair.comparison })
}

/// The points of two runs in one picture, with their covering lines.
fn overlaid(Pair { a, b, .. }: &Pair<'_>) -> Option<Chart> {
    let points = || [a, b].into_iter().filter_map(Story::own).flat_map(still);
    let (x, y) = (by_pages(points()), by_cost(points(), []));
    let mut series = Vec::new();
    for (at, (story, name)) in [(a, "A"), (b, "B")].into_iter().enumerate() {
        series.push(Series::new(at, format!("{name}: points"), costs(still(story.own()?))));
        let line = story.model().map(|model| covering(model, &x));
        series.extend(line.map(|line| Series::new(at, format!("{name}: covering line"), line)));
    }
    let alternative =
        format!("Cost against initial pages of the runs {} and {} on logarithmic axes.", a.run.run, b.run.run);
    Some(Chart::new("cost-of-both", alternative, x, y, series))
}
