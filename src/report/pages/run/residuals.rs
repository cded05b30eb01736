use super::checks::Check;
use super::part::{Content, Part};
use crate::experiment::Point;
use crate::model::{ClassFit, PointFit};
use crate::report::Story;
use crate::report::marks::{by_pages, still};
use crate::report::plot::{Axis, Chart, Mark, Series, Shape};
use crate::report::words::percent;
use crate::units::Pages;

pub(super) const PART: Part = Part {
    id: "residuals",
    heading: "What the lines miss",
    content: Content::Picture(
        chart,
        "0 % is the measured cost, for the charge that in the dearest surroundings. A charge below it would be too low; how far it is above is what straightness costs.",
        &[Check::Bend, Check::Pieces],
    ),
};

/// How far the fit is from each measured point, and the charge from each class.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let (own, model) = (story.own()?, story.model()?);
    let mark = |point: &Point, name: String, what: &str, y: f64| {
        let title = format!("{name}: {what} {}", percent(y));
        Mark { x: Axis::place_of(point.initial_pages().0), y, interval: None, title }
    };
    let pays = |class: &ClassFit| {
        let y = model.covering.charge(&class.point) / class.cost.value - 1.0;
        mark(&class.point, class.label(), "pays, against its cost,", y)
    };
    let misses = |found: &PointFit| {
        let y = model.relative.predict(&found.point) / found.cost.value - 1.0;
        mark(&found.point, found.point.label(), "the fit is off by", y)
    };
    let still_class = |class: &&ClassFit| class.point.grown_pages() == Pages(0);
    let charge: Vec<Mark> = story.fit.dearest(own).into_iter().filter(still_class).map(pays).collect();
    let fit: Vec<Mark> = still(own).map(misses).collect();
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
