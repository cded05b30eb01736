//! Intervals of points that share their noise.

use std::collections::BTreeMap;

use super::Estimate;
use crate::experiment::{Experiment, Point};

/// Gives all points that do the same work the same relative half-width: the root mean square of theirs. They are of one contract,
/// touch as many pages under the same conditions and carry as much data; only their stacks differ.
///
/// A standard error from some ten processes is itself off by a quarter, and the covering line rests on the widest of many.
/// Such points have the same noise, so their errors are estimated together, as the pooled variance
/// of an analysis of variance (Snedecor and Cochran, *Statistical Methods*, 1989, chapter 12). The Student quantile stays that
/// of one point, since a disturbed process disturbs all of them.
pub(crate) fn pooled(experiment: &Experiment, points: &[&Point], estimates: &[Estimate]) -> Vec<Estimate> {
    let shared = |point: &Point| experiment.control.map_or_else(|| point.clone(), |control| point.apart_from(control));
    let mut sizes: BTreeMap<Point, (f64, f64)> = BTreeMap::new();
    for (point, estimate) in points.iter().zip(estimates) {
        let (squares, count) = sizes.entry(shared(point)).or_default();
        *squares += estimate.relative_half_width().powi(2);
        *count += 1.0;
    }
    points
        .iter()
        .zip(estimates)
        .map(|(point, estimate)| match sizes.get(&shared(point)) {
            Some((squares, count)) if squares.is_finite() => {
                Estimate::around(estimate.value, estimate.value.abs() * (squares / count).sqrt())
            }
            // A cost of 0 has no relative error; the fit is rejected for it.
            _ => *estimate,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MEMORY;
    use crate::experiment::memory::STACK_BYTES;
    use crate::units::Pages;

    fn point(pages: u32, stack: u64) -> Point {
        Point::of_memory("touch-memory", &format!("{pages}-{stack}"), "fresh-map", Pages(pages))
            .with(&STACK_BYTES, stack)
    }

    #[test]
    fn points_of_one_size_share_their_relative_error_and_others_keep_theirs() {
        let points = [point(1, 0), point(1, 16), point(2, 0)];
        let estimates = [Estimate::around(10.0, 3.0), Estimate::around(20.0, 2.0), Estimate::around(30.0, 6.0)];
        let pooled = pooled(&MEMORY, &points.iter().collect::<Vec<_>>(), &estimates);
        let shared = f64::midpoint(0.3_f64.powi(2), 0.1_f64.powi(2)).sqrt();
        assert!((pooled[0].relative_half_width() - shared).abs() < 1e-12);
        assert!((pooled[1].relative_half_width() - shared).abs() < 1e-12);
        assert_eq!(pooled[2], estimates[2]);
        assert!((pooled[1].value - 20.0).abs() < 1e-12);
    }

    #[test]
    fn a_cost_of_zero_keeps_its_interval() {
        let point = point(1, 0);
        let estimate = Estimate::around(0.0, 1.0);
        assert_eq!(pooled(&MEMORY, &[&point], &[estimate]), [estimate]);
    }
}
