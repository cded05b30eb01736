use crate::experiment::memory::STACK_BYTES;
use std::collections::BTreeMap;

use super::{Estimate, PointFit, StrategyFit};
use crate::experiment::Point;
use crate::units::Pages;

/// Points that differ in their stack alone.
#[derive(Debug, Clone, PartialEq)]
pub struct StackGroup<'a> {
    /// The pages that they declare.
    pub pages: Pages,
    /// Each point with its cost over the mean of the group.
    pub points: Vec<(&'a PointFit, Estimate)>,
}

impl StrategyFit {
    /// The points without growth that have others of another stack beside them, in groups.
    #[must_use]
    pub fn stack_groups(&self) -> Vec<StackGroup<'_>> {
        let mut groups: BTreeMap<Point, Vec<&PointFit>> = BTreeMap::new();
        for found in self.points.iter().filter(|found| found.point.grown_pages() == Pages(0)) {
            groups.entry(found.point.apart_from(&STACK_BYTES)).or_default().push(found);
        }
        groups.retain(|_, group| group.iter().any(|found| found.point.stack_bytes() != group[0].point.stack_bytes()));
        let grouped = groups.into_iter().map(|(point, group)| {
            #[expect(clippy::cast_precision_loss, reason = "a count of design points")]
            let mean = group.iter().map(|found| found.cost.value).sum::<f64>() / group.len() as f64;
            let points = group.into_iter().map(|found| (found, found.cost.scaled(1.0 / mean))).collect();
            StackGroup { pages: point.initial_pages(), points }
        });
        grouped.collect()
    }
}
