//! What several pictures draw alike.

use super::plot::{Axis, Mark, Shape};
use super::words::{interval, nanos};
use crate::model::{Model, PointFit};

/// A point with its cost in words: what is shown when the pointer is on it.
pub(super) fn words(found: &PointFit) -> String {
    format!("{}: {}, 95 % interval {}", found.point.label(), nanos(found.cost.value), interval(&found.cost))
}

/// Points at their pages, with their costs.
pub(super) fn marks<'a>(points: impl IntoIterator<Item = &'a PointFit>) -> Shape {
    let mark = |found: &PointFit| Mark {
        x: Axis::place_of(found.point.initial_pages().0),
        y: found.cost.value,
        interval: Some((found.cost.low, found.cost.high)),
        title: words(found),
    };
    Shape::Marks(points.into_iter().map(mark).collect())
}

/// What the covering line charges for a call without data.
pub(super) fn covering(model: &Model, x: &Axis) -> Shape {
    let charge = |pages| {
        (pages, model.covering.base.value + model.covering.price("page").map_or(0.0, |page| page.value) * pages)
    };
    Shape::Line(places(x.low, x.high).map(charge).collect())
}

/// Places from `low` to `high` at equal ratios, for lines that are curves on logarithmic axes.
pub(super) fn places(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..=96u32).map(move |step| low * (high / low).powf(f64::from(step) / 96.0))
}
