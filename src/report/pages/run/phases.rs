use std::collections::BTreeMap;

use super::part::{Content, Part};
use crate::model::PointFit;
use crate::report::Story;
use crate::report::plot::{Axis, Bar, Chart, Ink, Series, Shape};
use crate::report::story::is_whole;
use crate::units::{Nanos, Pages};

pub(super) const PART: Part = Part {
    id: "phases",
    heading: "Phases of a call",
    content: Content::Picture(
        chart,
        "For each size the point with the least data and the least stack. Heights are medians of each phase by itself, so that they \
         need not add up to the cost. The warm touch repeats the writes on resident pages, which instructions already pay for: it is \
         no part of the cost.",
        &[],
    ),
};

/// A part of a point's time, in nanoseconds.
type Time = fn(&PointFit) -> f64;

/// The phases of a cycle stacked, for each page touched.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let own = story.own()?;
    let levels = simplest(&own.points);
    // From the foot up; the paid-for writes stand on top, apart from the cost.
    let parts: [(&str, Time); 4] = [
        ("instantiate", |found| found.phase("instantiate").0),
        ("first touch, less the warm", |found| found.phase("first_touch").0 - found.phase("warm_touch").0),
        ("reset", |found| found.phase("reset").0),
        ("warm touch: paid by instructions", |found| found.phase("warm_touch").0),
    ];
    let mut heights: BTreeMap<Pages, f64> = BTreeMap::new();
    let mut series = Vec::new();
    for (at, (name, part)) in parts.into_iter().enumerate() {
        let bars = (0u32..).zip(&levels).map(|(place, (pages, found))| {
            let from = heights.get(pages).copied().unwrap_or(0.0);
            let to = from + part(found) / f64::from(pages.0);
            heights.insert(*pages, to);
            let title = format!("{pages}, {name}: {} in all, {} a page", Nanos(part(found)), Nanos(to - from));
            Bar { x: f64::from(place), half: 0.38, from, to, title }
        });
        series.push(Series { name: name.into(), ink: Ink::Part(at), shape: Shape::Bars(bars.collect()) });
    }
    let x = Axis::names("initial pages of 64 KiB, all touched", levels.keys().map(|pages| pages.0.to_string()));
    let y = Axis::time_from_zero("time for each page", heights.values().copied());
    let right = y.in_gas("gas for each page, with safety", story.gas_per_nano());
    let alternative = format!(
        "Phases of a call under {} stacked for {} sizes, as time for each page: instantiate, first touch, reset.",
        own.strategy,
        levels.len()
    );
    (!levels.is_empty()).then(|| Chart::new("phases", alternative, x, y, series).with_right(right))
}

/// At each number of pages the point with the least data and the least stack, all pages touched.
fn simplest(points: &[PointFit]) -> BTreeMap<Pages, &PointFit> {
    let mut levels: BTreeMap<Pages, &PointFit> = BTreeMap::new();
    let size = |found: &PointFit| (found.point.data_bytes(), found.point.stack_bytes());
    for found in points.iter().filter(|found| is_whole(&found.point) && found.point.initial_pages().0 > 0) {
        let best = levels.entry(found.point.initial_pages()).or_insert(found);
        if size(found) < size(best) {
            *best = found;
        }
    }
    levels
}
