use std::collections::{BTreeMap, BTreeSet};

use super::words;
use crate::experiment::Point;
use crate::model::{Estimate, PointFit};
use crate::report::plot::{Axis, Chart, Ink, Mark, Series, Shape};
use crate::report::story::Story;
use crate::units::{Bytes, Pages};

/// Points that differ in their stack alone, each against the mean of its group.
pub(super) fn stack(story: &Story<'_>) -> Option<Chart> {
    let own = story.own()?;
    let mut groups: BTreeMap<Point, Vec<&PointFit>> = BTreeMap::new();
    for found in own.points.iter().filter(|found| found.point.grown_pages() == Pages(0)) {
        groups.entry(found.point.apart_from(&crate::experiment::memory::STACK_BYTES)).or_default().push(found);
    }
    groups.retain(|_, group| group.iter().any(|found| found.point.stack_bytes() != group[0].point.stack_bytes()));
    let stacks: BTreeSet<Bytes> = groups.values().flatten().map(|found| found.point.stack_bytes()).collect();
    let middle = f64::from(u32::try_from(stacks.len()).ok()?.saturating_sub(1)) / 2.0;
    let pitch = 0.72 / (middle * 2.0 + 1.0);
    let mut series = Vec::new();
    for (ink, stack) in stacks.iter().enumerate() {
        let aside = (f64::from(u32::try_from(ink).ok()?) - middle) * pitch;
        let mut marks = Vec::new();
        for (place, group) in (0u32..).zip(groups.values()) {
            #[expect(clippy::cast_precision_loss, reason = "a count of design points")]
            let mean = group.iter().map(|found| found.cost.value).sum::<f64>() / group.len() as f64;
            for found in group.iter().filter(|found| found.point.stack_bytes() == *stack) {
                let Estimate { value, low, high } = found.cost.scaled(1.0 / mean);
                let interval = Some((low - 1.0, high - 1.0));
                marks.push(Mark { x: f64::from(place) + aside, y: value - 1.0, interval, title: words(found) });
            }
        }
        series.push(Series { name: format!("{stack} of stack"), ink: Ink::Series(ink), shape: Shape::Marks(marks) });
    }
    let label = |point: &Point| point.initial_pages().0.to_string();
    let x = Axis::names("initial pages of 64 KiB", groups.keys().map(label));
    let ends = groups.values().flat_map(|group| {
        #[expect(clippy::cast_precision_loss, reason = "a count of design points")]
        let mean = group.iter().map(|found| found.cost.value).sum::<f64>() / group.len() as f64;
        group.iter().flat_map(move |found| [found.cost.low / mean - 1.0, found.cost.high / mean - 1.0])
    });
    let y = Axis::percent("cost, relative to the mean at these pages", ends);
    let alternative = format!(
        "Cost at {} stack sizes in {} groups of points that differ in nothing else, relative to the mean of each group.",
        stacks.len(),
        groups.len()
    );
    (!groups.is_empty()).then_some(Chart { name: "stack", alternative, x, y, right: None, series })
}
