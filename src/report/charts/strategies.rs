use std::collections::BTreeMap;

use super::words;
use crate::experiment::Point;
use crate::measure::Setting;
use crate::model::{PointFit, StrategyFit};
use crate::report::ladder::{cost_by_strategy, settings};
use crate::report::plot::{Axis, Chart, Ink, Mark, Series, Shape};
use crate::report::story::Story;
use crate::units::Pages;

/// Names of the files, as many as an experiment has settings.
const NAMES: [&str; 8] = [
    "strategies",
    "strategies-2",
    "strategies-3",
    "strategies-4",
    "strategies-5",
    "strategies-6",
    "strategies-7",
    "strategies-8",
];

/// Cost against pages for each strategy: a picture for each setting in which there is something to compare.
pub(super) fn strategies(story: &Story<'_>) -> Vec<Chart> {
    let fits = &story.fit.strategies;
    if fits.len() < 2 {
        return Vec::new();
    }
    settings(story.fit)
        .iter()
        .filter_map(|setting| chart(story, setting))
        .zip(NAMES)
        .map(|(chart, name)| Chart { name, ..chart })
        .collect()
}

fn chart(story: &Story<'_>, setting: &Setting) -> Option<Chart> {
    let fits = &story.fit.strategies;
    let common: Vec<BTreeMap<Pages, &PointFit>> = fits.iter().map(|fit| ladder(fit, fits, setting)).collect();
    if common.iter().any(|ladder| ladder.len() < 2) {
        return None;
    }
    let points = || common.iter().flat_map(BTreeMap::values);
    let x = Axis::pages("initial pages of 64 KiB", points().map(|found| found.point.initial_pages().0));
    let y =
        Axis::time("time of a call", points().flat_map(|found| [found.cost.value, found.cost.low, found.cost.high]));
    let mut series = Vec::new();
    for (ink, (fit, ladder)) in fits.iter().zip(&common).enumerate() {
        let place = |found: &&PointFit| (Axis::place_of(found.point.initial_pages().0), found.cost.value);
        let line = Shape::Line(ladder.values().map(place).collect());
        let mark = |found: &&PointFit| Mark {
            x: Axis::place_of(found.point.initial_pages().0),
            y: found.cost.value,
            interval: Some((found.cost.low, found.cost.high)),
            title: words(found),
        };
        let own = if fit.strategy == story.chain.strategy { ", the chain's" } else { "" };
        let name = format!("{}{own}", fit.strategy);
        series.push(Series { name: String::new(), ink: Ink::Series(ink), shape: line });
        series.push(Series { name, ink: Ink::Series(ink), shape: Shape::Marks(ladder.values().map(mark).collect()) });
    }
    let alternative =
        format!("{}: {} strategies against initial pages, on logarithmic axes.", cost_by_strategy(setting), fits.len());
    let right = Some(y.in_gas("gas, with safety", story.gas_per_nano()));
    Some(Chart { name: NAMES[0], alternative, x, y, right, series })
}

/// The dearest point of a strategy at each number of pages, among those that every strategy has.
fn ladder<'a>(fit: &'a StrategyFit, all: &[StrategyFit], setting: &Setting) -> BTreeMap<Pages, &'a PointFit> {
    let everywhere =
        |point: &Point| all.iter().all(|fit| fit.points.iter().any(|found| found.point.under("") == point.under("")));
    let mut levels: BTreeMap<Pages, &PointFit> = BTreeMap::new();
    for found in fit.points.iter().filter(|found| Setting::of(&found.point) == *setting && everywhere(&found.point)) {
        let best = levels.entry(found.point.initial_pages()).or_insert(found);
        if found.cost.value > best.cost.value {
            *best = found;
        }
    }
    levels
}
