use super::diagnostics::differing;
use super::{Estimate, PointFit, StrategyFit};
use crate::experiment::{Experiment, Point};
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
    /// The points without growth that differ in the control of their experiment alone, in groups; none without such a factor.
    #[must_use]
    pub fn stack_groups(&self, experiment: &Experiment) -> Vec<StackGroup<'_>> {
        let Some(control) = experiment.control else { return Vec::new() };
        let still: Vec<&PointFit> = self.points.iter().filter(|found| found.point.grown_pages() == Pages(0)).collect();
        let points: Vec<&Point> = still.iter().map(|found| &found.point).collect();
        let group = |rows: Vec<usize>| {
            #[expect(clippy::cast_precision_loss, reason = "a count of design points")]
            let mean = rows.iter().map(|&row| still[row].cost.value).sum::<f64>() / rows.len() as f64;
            let points = rows.iter().map(|&row| (still[row], still[row].cost.scaled(1.0 / mean))).collect();
            StackGroup { pages: still[rows[0]].point.initial_pages(), points }
        };
        differing(&points, control).into_iter().map(group).collect()
    }
}
