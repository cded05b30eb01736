use std::collections::BTreeSet;

use super::checks::{Check, found};
use super::part::{Part, figure};
use crate::model::StackGroup;
use crate::report::Story;
use crate::report::document::Block;
use crate::report::marks::words;
use crate::report::plot::{Axis, Chart, Ink, Mark, Series, Shape};

pub(super) const PART: Part = Part { id: "stack", heading: "Stack size, given pages", blocks };

const CAPTION: &str = "Points side by side differ in their stack alone. If stack cost anything beyond its pages, larger stacks would lie \
                       higher.";

fn blocks(story: &Story<'_>) -> Vec<Block> {
    let chart = chart(story).map(|chart| figure(chart, CAPTION));
    chart.into_iter().chain(found(story, &[Check::Stack])).collect()
}

/// Points that differ in their stack alone, each against the mean of its group.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let groups = story.own()?.stack_groups();
    let points = || groups.iter().flat_map(|group: &StackGroup<'_>| &group.points);
    let stacks: BTreeSet<_> = points().map(|(found, _)| found.point.stack_bytes()).collect();
    let middle = f64::from(u32::try_from(stacks.len()).ok()?.saturating_sub(1)) / 2.0;
    let pitch = 0.72 / (middle * 2.0 + 1.0);
    let mut series = Vec::new();
    for (ink, stack) in (0u32..).zip(&stacks) {
        let aside = (f64::from(ink) - middle) * pitch;
        let of_stack = (0u32..).zip(&groups).flat_map(|(place, group)| {
            let own = group.points.iter().filter(|(found, _)| found.point.stack_bytes() == *stack);
            own.map(move |(found, over_mean)| Mark {
                x: f64::from(place) + aside,
                y: over_mean.value - 1.0,
                interval: Some((over_mean.low - 1.0, over_mean.high - 1.0)),
                title: words(found),
            })
        });
        let shape = Shape::Marks(of_stack.collect());
        series.push(Series { name: format!("{stack} of stack"), ink: Ink::Series(ink as usize), shape });
    }
    let x = Axis::names("initial pages of 64 KiB", groups.iter().map(|group| group.pages.0.to_string()));
    let ends = points().flat_map(|(_, over_mean)| [over_mean.low - 1.0, over_mean.high - 1.0]);
    let y = Axis::percent("cost, relative to the mean at these pages", ends);
    let alternative = format!(
        "Cost at {} stack sizes in {} groups of points that differ in nothing else, relative to the mean of each group.",
        stacks.len(),
        groups.len()
    );
    (!groups.is_empty()).then_some(Chart { name: "stack".into(), alternative, x, y, right: None, series })
}
