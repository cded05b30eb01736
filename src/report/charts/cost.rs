use super::{places, words};
use crate::experiment::BASE;
use crate::experiment::memory::PAGE;
use crate::model::{Line, Model, PointFit};
use crate::report::plot::{Axis, Chart, Ink, Mark, Series, Shape};
use crate::report::story::Story;
use crate::units::Nanos;

/// Cost against pages, with the lines through it.
pub(super) fn cost(story: &Story<'_>) -> Option<Chart> {
    let own = story.own()?;
    let still: Vec<&PointFit> = own.points.iter().filter(|found| found.point.grown_pages().0 == 0).collect();
    let x = Axis::pages("initial pages of 64 KiB", still.iter().map(|found| found.point.initial_pages().0));
    let model = story.model();
    let charges = still.iter().filter_map(|found| model.map(|model| model.covering.charge(&found.point)));
    let ends = still.iter().flat_map(|found| [found.cost.value, found.cost.low, found.cost.high]);
    let y = Axis::time("time of a call", ends.chain(charges));
    let (with_data, plain): (Vec<&PointFit>, Vec<&PointFit>) =
        still.iter().copied().partition(|found| found.point.data_bytes().pages_up().is_some_and(|pages| pages.0 > 0));
    let mut series = Vec::new();
    if let Some(model) = model {
        series.extend(lines(model, &x, &y));
    }
    series.push(Series { name: "a design point, with its interval".into(), ink: Ink::Series(3), shape: marks(&plain) });
    if !with_data.is_empty() {
        series.push(Series {
            name: "the same with data segments".into(),
            ink: Ink::Series(4),
            shape: marks(&with_data),
        });
    }
    let alternative = format!(
        "Cost against initial pages on logarithmic axes: {} design points under {}, each at or below the covering \
         line. The table \
         of points has the numbers.",
        still.len(),
        own.strategy
    );
    let right = Some(y.in_gas("gas, with safety", story.gas_per_nano()));
    Some(Chart { name: "cost-by-pages", alternative, x, y, right, series })
}

/// The points of two runs in one picture, with their covering lines.
pub(in crate::report) fn overlaid(a: &Story<'_>, b: &Story<'_>) -> Option<Chart> {
    let sides = [a, b];
    let points = || sides.into_iter().filter_map(Story::own).flat_map(|own| &own.points);
    let still = || points().filter(|found| found.point.grown_pages().0 == 0);
    let x = Axis::pages("initial pages of 64 KiB", still().map(|found| found.point.initial_pages().0));
    let y = Axis::time("time of a call", still().flat_map(|found| [found.cost.value, found.cost.low, found.cost.high]));
    let mut series = Vec::new();
    for (at, (story, name)) in sides.into_iter().zip(["A", "B"]).enumerate() {
        let own = story.own()?;
        let still: Vec<&PointFit> = own.points.iter().filter(|found| found.point.grown_pages().0 == 0).collect();
        series.push(Series { name: format!("{name}: points"), ink: Ink::Series(at), shape: marks(&still) });
        if let Some(model) = story.model() {
            let shape = covering(model, &x);
            series.push(Series { name: format!("{name}: covering line"), ink: Ink::Series(at), shape });
        }
    }
    let alternative =
        format!("Cost against initial pages of the runs {} and {} on logarithmic axes.", a.run.run, b.run.run);
    Some(Chart { name: "cost-of-both", alternative, x, y, right: None, series })
}

fn marks(points: &[&PointFit]) -> Shape {
    let mark = |found: &&PointFit| Mark {
        x: Axis::place_of(found.point.initial_pages().0),
        y: found.cost.value,
        interval: Some((found.cost.low, found.cost.high)),
        title: words(found),
    };
    Shape::Marks(points.iter().map(mark).collect())
}

fn covering(model: &Model, x: &Axis) -> Shape {
    let charge = |pages| {
        (pages, model.covering.base.value + model.covering.price("page").map_or(0.0, |page| page.value) * pages)
    };
    Shape::Line(places(x.low, x.high).map(charge).collect())
}

/// The covering line and the two fits, each for a call without data.
fn lines(model: &Model, x: &Axis, y: &Axis) -> Vec<Series> {
    let line = |line: &Line| {
        let value = |factor| line.coefficient(factor).map_or(0.0, |found| found.value);
        let (base, page) = (value(&BASE), value(&PAGE));
        let place = |pages: f64| {
            let cost = base + page * pages;
            (pages, if cost < y.low { f64::NAN } else { cost })
        };
        Shape::Line(places(x.low, x.high).map(place).collect())
    };
    let named = |name: String, ink, shape| Series { name, ink: Ink::Series(ink), shape };
    let plain = model.plain.base().map_or(0.0, |base| base.value);
    vec![
        named("covering line: the fee".into(), 0, covering(model, x)),
        named("fit by relative error".into(), 1, line(&model.relative)),
        named(format!("plain least squares, base {}", Nanos(plain)), 2, line(&model.plain)),
    ]
}
