use super::checks::Check;
use super::part::{Content, Part};
use crate::model::PointFit;
use crate::report::Story;
use crate::report::marks::{by_pages, still};
use crate::report::plot::{Axis, Chart, Mark, Series, Shape};
use crate::report::words::percent;

pub(super) const PART: Part = Part {
    id: "residuals",
    heading: "What the lines miss",
    content: Content::Picture(
        chart,
        "0 % is the measured cost. A charge below it would be too low; how far it is above is what straightness costs.",
        &[Check::Bend, Check::Pieces],
    ),
};

/// How far fit and charge are from each measured point.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let (own, model) = (story.own()?, story.model()?);
    let marks = |what: &str, value: &dyn Fn(&PointFit) -> f64| -> Vec<Mark> {
        let mark = |found: &PointFit| {
            let y = value(found) / found.cost.value - 1.0;
            let title = format!("{}: {what} {}", found.point.label(), percent(y));
            Mark { x: Axis::place_of(found.point.initial_pages().0), y, interval: None, title }
        };
        still(own).map(mark).collect()
    };
    let charge = marks("pays, against its cost,", &|found| model.covering.charge(&found.point));
    let fit = marks("the fit is off by", &|found| model.relative.predict(&found.point));
    let y = Axis::percent("line, relative to measured cost", charge.iter().chain(&fit).map(|mark| mark.y));
    let alternative = format!(
        "Relative distance of two lines from {} measured points: the covering line is at or above 0 everywhere, the fit by relative \
         error lies on both sides.",
        fit.len()
    );
    let series = vec![
        Series::new(0, "covering line: overcharge", Shape::Marks(charge)),
        Series::new(1, "fit by relative error", Shape::Marks(fit)),
    ];
    Some(Chart::new("residuals", alternative, by_pages(still(own)), y, series))
}
