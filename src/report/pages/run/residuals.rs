use super::checks::{Check, found};
use super::part::{Part, figure};
use crate::model::PointFit;
use crate::report::Story;
use crate::report::document::Block;
use crate::report::plot::{Axis, Chart, Ink, Mark, Series, Shape};
use crate::report::words::percent;

pub(super) const PART: Part = Part { id: "residuals", heading: "What the lines miss", blocks };

const CAPTION: &str =
    "0 % is the measured cost. A charge below it would be too low; how far it is above is what straightness costs.";

fn blocks(story: &Story<'_>) -> Vec<Block> {
    let chart = chart(story).map(|chart| figure(chart, CAPTION));
    chart.into_iter().chain(found(story, &[Check::Bend, Check::Pieces, Check::Overcharge])).collect()
}

/// How far fit and charge are from each measured point.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let (own, model) = (story.own()?, story.model()?);
    let marks = |what: &str, value: &dyn Fn(&PointFit) -> f64| -> Vec<Mark> {
        let still = own.points.iter().filter(|found| found.point.grown_pages().0 == 0);
        still
            .map(|found| {
                let y = value(found) / found.cost.value - 1.0;
                let title = format!("{}: {what} {}", found.point.label(), percent(y));
                Mark { x: Axis::place_of(found.point.initial_pages().0), y, interval: None, title }
            })
            .collect()
    };
    let charge = marks("pays, against its cost,", &|found| model.covering.charge(&found.point));
    let fit = marks("the fit is off by", &|found| model.relative.predict(&found.point));
    let x = Axis::pages(
        "initial pages of 64 KiB",
        own.points.iter().filter(|found| found.point.grown_pages().0 == 0).map(|found| found.point.initial_pages().0),
    );
    let y = Axis::percent("line, relative to measured cost", charge.iter().chain(&fit).map(|mark| mark.y));
    let alternative = format!(
        "Relative distance of two lines from {} measured points: the covering line is at or above 0 everywhere, the \
         fit by relative \
         error lies on both sides.",
        fit.len()
    );
    let series = vec![
        Series { name: "covering line: overcharge".into(), ink: Ink::Series(0), shape: Shape::Marks(charge) },
        Series { name: "fit by relative error".into(), ink: Ink::Series(1), shape: Shape::Marks(fit) },
    ];
    Some(Chart { name: "residuals".into(), alternative, x, y, right: None, series })
}
