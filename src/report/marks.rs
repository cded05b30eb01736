//! What several pictures draw alike.

use super::plot::{Axis, Mark, Shape};
use super::words::{interval, nanos};
use crate::experiment::Point;
use crate::model::{Estimate, Model, PointFit, StrategyFit};
use crate::units::Pages;

/// The points of a fit that do not grow.
pub(super) fn still(fit: &StrategyFit) -> impl Iterator<Item = &PointFit> + Clone {
    fit.points.iter().filter(|found| found.point.grown_pages().0 == 0)
}

/// The axis of points by their pages.
pub(super) fn by_pages<'a>(points: impl IntoIterator<Item = &'a PointFit>) -> Axis {
    Axis::pages("initial pages of 64 KiB", points.into_iter().map(|found| found.point.initial_pages().0))
}

/// The axis of their costs, which holds other times as well.
pub(super) fn by_cost<'a>(
    points: impl IntoIterator<Item = &'a PointFit>,
    others: impl IntoIterator<Item = f64>,
) -> Axis {
    let ends = points.into_iter().flat_map(|found| [found.cost.value, found.cost.low, found.cost.high]);
    Axis::time("reference time of a call", ends.chain(others))
}

/// Points at their pages, with their costs.
pub(super) fn costs<'a>(points: impl IntoIterator<Item = &'a PointFit>) -> Shape {
    let mark = |found: &PointFit| Mark {
        x: Axis::place_of(found.point.initial_pages().0),
        y: found.cost.value,
        interval: Some((found.cost.low, found.cost.high)),
        title: words(found),
    };
    Shape::Marks(points.into_iter().map(mark).collect())
}

/// How far a ratio and its interval are from 1.
pub(super) fn beyond_one(x: f64, ratio: Estimate, title: String) -> Mark {
    Mark { x, y: ratio.value - 1.0, interval: Some((ratio.low - 1.0, ratio.high - 1.0)), title }
}

/// A point with its cost in words: what is shown when the pointer is on it.
pub(super) fn words(found: &PointFit) -> String {
    format!("{}: {}, 95 % interval {}", found.point.label(), nanos(found.cost.value), interval(&found.cost))
}

/// What the covering line charges for a call without data.
pub(super) fn covering(model: &Model, x: &Axis) -> Shape {
    by_declared(x, |point| model.covering.charge(point))
}

/// Something of calls without data by what they declare, straight from page to page: a curve on logarithmic axes.
pub(super) fn by_declared(x: &Axis, height: impl Fn(&Point) -> f64) -> Shape {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a picture of what memories can have")]
    let at = |pages: f64| height(&Point::of_memory("", "", "", Pages(pages as u32)));
    let height = |pages: f64| {
        let low = at(pages.floor());
        low + pages.fract() * (at(pages.floor() + 1.0) - low)
    };
    let place = |step: u32| x.low * (x.high / x.low).powf(f64::from(step) / 96.0);
    Shape::Line((0..=96).map(place).map(|place| (place, height(place))).collect())
}
