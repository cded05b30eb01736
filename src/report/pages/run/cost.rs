use super::costs;
use super::part::{Part, figure};
use crate::model::{Factor, Line, Model, PointFit};
use crate::report::Story;
use crate::report::document::Block;
use crate::report::marks::{covering, marks, places};
use crate::report::passage::Passage;
use crate::report::plot::{Axis, Chart, Ink, Series, Shape};
use crate::units::Nanos;

pub(super) const PART: Part = Part { id: "cost", heading: "Cost against pages", blocks };

const CAPTION: &str = "Both axes are logarithmic. Each mark is the statistic of a point with its 95 % interval; points that grow at \
                       run time are in the table of points. The line of plain least squares is not drawn where it lies below the \
                       picture or below zero.";

fn blocks(story: &Story<'_>) -> Vec<Block> {
    let chart = chart(story).map(|chart| figure(chart, CAPTION));
    let charges = costs::charges(story).map(Passage::titled);
    let lines = costs::lines(story).map(|lines| (lines.text(), lines.titled()));
    let (text, lines) = lines.unzip();
    [chart, charges, lines, text].into_iter().flatten().collect()
}

/// Cost against pages, with the lines through it.
fn chart(story: &Story<'_>) -> Option<Chart> {
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
    series.push(Series { name: "a design point, with its interval".into(), ink: Ink::Series(3), shape: marks(plain) });
    if !with_data.is_empty() {
        series.push(Series {
            name: "the same with data segments".into(),
            ink: Ink::Series(4),
            shape: marks(with_data),
        });
    }
    let alternative = format!(
        "Cost against initial pages on logarithmic axes: {} design points under {}, each at or below the covering line. \
         The table of points has the numbers.",
        still.len(),
        own.strategy
    );
    let right = Some(y.in_gas("gas, with safety", story.gas_per_nano()));
    Some(Chart { name: "cost-by-pages".into(), alternative, x, y, right, series })
}

/// The covering line and the two fits, each for a call without data.
fn lines(model: &Model, x: &Axis, y: &Axis) -> Vec<Series> {
    let line = |line: &Line| {
        let value = |factor| line.coefficient(factor).map_or(0.0, |found| found.value);
        let (base, page) = (value(Factor::Base), value(Factor::Page));
        let place = |pages: f64| {
            let cost = base + page * pages;
            (pages, if cost < y.low { f64::NAN } else { cost })
        };
        Shape::Line(places(x.low, x.high).map(place).collect())
    };
    let named = |name: String, ink, shape| Series { name, ink: Ink::Series(ink), shape };
    let plain = model.plain.coefficient(Factor::Base).map_or(0.0, |base| base.value);
    vec![
        named("covering line: the fee".into(), 0, covering(model, x)),
        named("fit by relative error".into(), 1, line(&model.relative)),
        named(format!("plain least squares, base {}", Nanos(plain)), 2, line(&model.plain)),
    ]
}
