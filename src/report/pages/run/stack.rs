use std::collections::BTreeSet;

use super::checks::Check;
use super::part::{Content, Part};
use crate::report::Story;
use crate::report::marks::{beyond_one, words};
use crate::report::plot::{Axis, Chart, Mark, Series, Shape};

pub(super) const PART: Part = Part {
    id: "stack",
    heading: "Stack size, given pages",
    content: Content::Picture(
        chart,
        "Points side by side differ in their stack alone. If stack cost anything beyond its pages, larger stacks would lie higher.",
        &[Check::Stack],
    ),
};

/// Points that differ in their stack alone, each against the mean of its group.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let groups = story.own()?.stack_groups(story.fit.experiment);
    let points = || groups.iter().flat_map(|group| &group.points);
    let stacks: BTreeSet<_> = points().map(|(found, _)| found.point.stack_bytes()).collect();
    let middle = f64::from(u32::try_from(stacks.len()).ok()?.saturating_sub(1)) / 2.0;
    let pitch = 0.72 / (middle * 2.0 + 1.0);
    let mut series = Vec::new();
    for (at, stack) in stacks.iter().enumerate() {
        let aside = (f64::from(u32::try_from(at).ok()?) - middle) * pitch;
        let mut marks: Vec<Mark> = Vec::new();
        for (place, group) in (0u32..).zip(&groups) {
            let own = group.points.iter().filter(|(found, _)| found.point.stack_bytes() == *stack);
            marks.extend(own.map(|(found, cost)| beyond_one(f64::from(place) + aside, *cost, words(found))));
        }
        series.push(Series::new(at, format!("{stack} of stack"), Shape::Marks(marks)));
    }
    let x = Axis::names("initial pages of 64 KiB", groups.iter().map(|group| group.pages.0.to_string()));
    let ends = points().flat_map(|(_, over_mean)| [over_mean.low - 1.0, over_mean.high - 1.0]);
    let y = Axis::percent("cost, relative to the mean at these pages", ends);
    let alternative = format!(
        "Cost at {} stack sizes in {} groups of points that differ in nothing else, relative to the mean of each group.",
        stacks.len(),
        groups.len()
    );
    (!groups.is_empty()).then(|| Chart::new("stack", alternative, x, y, series))
}
