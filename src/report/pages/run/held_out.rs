use std::collections::BTreeMap;

use super::checks::Check;
use super::part::{Content, Part};
use crate::model::Estimate;
use crate::report::Story;
use crate::report::marks::beyond_one;
use crate::report::plot::{Axis, Chart, Series, Shape};
use crate::report::words::percent;
use crate::units::Pages;

pub(super) const PART: Part = Part {
    id: "held-out",
    heading: "Held-out points",
    content: Content::Picture(
        chart,
        "Whole sizes are left out of a fit, which then predicts them. Above 0 % the point costs more than predicted.",
        &[Check::HeldOut, Check::Undercharged],
    ),
};

/// Points that were not fitted, against what the others predict.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let (own, held_out) = (story.own()?, story.model()?.held_out.as_ref()?);
    let mut levels: BTreeMap<Pages, Vec<(Estimate, String)>> = BTreeMap::new();
    for (label, predicted) in held_out.points.iter().zip(&held_out.predicted) {
        let found = own.points.iter().find(|found| found.point.label() == *label)?;
        let off = found.cost.scaled(1.0 / predicted);
        let title = format!("{label}: measured {} against the prediction", percent(off.value - 1.0));
        levels.entry(found.point.initial_pages()).or_default().push((off, title));
    }
    let mut marks = Vec::new();
    for (place, group) in (0u32..).zip(levels.values()) {
        let pitch = 0.72 / f64::from(u32::try_from(group.len()).ok()?);
        let x = |at: u32| f64::from(place) - 0.36 + (f64::from(at) + 0.5) * pitch;
        marks.extend((0u32..).zip(group).map(|(at, (off, title))| beyond_one(x(at), *off, title.clone())));
    }
    let x = Axis::names("initial pages of 64 KiB", levels.keys().map(|pages| pages.0.to_string()));
    let ends = levels.values().flatten().flat_map(|(off, _)| [off.low - 1.0, off.high - 1.0]);
    let y = Axis::percent("measured, relative to predicted", ends);
    let (points, sizes) = (marks.len(), levels.len());
    let alternative =
        format!("{points} held-out points at {sizes} sizes: measured cost relative to what the other points predict.");
    let series = vec![Series::new(3, "a held-out point, with its interval", Shape::Marks(marks))];
    (sizes > 0).then(|| Chart::new("held-out", alternative, x, y, series))
}
