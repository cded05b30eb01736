//! The covering line: the smallest linear charge that undercharges no measured point.

use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::{Estimate, ModelError};
use crate::measure::DesignPoint;

/// The covering charge: `base + per_page × initial pages + grow_per_page × grown pages`, in nanoseconds.
///
/// The values are computed from the *upper ends* of the points' intervals, so they are meant to lie above the truth, by
/// about half the width of a point's interval. The truth that the intervals hold is the covering line of the points' true
/// statistics; for costs that are linear this is the cost itself. The upper end of an interval is the value, or higher.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covering {
    /// Charge for a call whatever its pages.
    pub base: Estimate,
    /// Charge for each initial page.
    pub per_page: Estimate,
    /// Charge for each page grown at run time, if grown points were measured.
    pub grow_per_page: Option<Estimate>,
}

/// A point as a line sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand {
    /// Initial pages.
    pub(crate) pages: f64,
    /// Pages grown.
    pub(crate) grown: f64,
    /// Index into the points' statistics.
    pub(crate) row: usize,
}

impl Demand {
    pub(crate) fn all(points: &[&DesignPoint]) -> Vec<Self> {
        let demand = |(row, point): (usize, &&DesignPoint)| Self {
            pages: f64::from(point.initial_pages.0),
            grown: f64::from(point.grown_pages().0),
            row,
        };
        points.iter().enumerate().map(demand).collect()
    }
}

impl Covering {
    /// The charge for a point.
    #[must_use]
    pub fn charge(&self, point: &DesignPoint) -> f64 {
        let grown = self.grow_per_page.map_or(0.0, |grow| grow.value * f64::from(point.grown_pages().0));
        self.base.value + self.per_page.value * f64::from(point.initial_pages.0) + grown
    }

    /// Covers the demands given the upper ends of the points' intervals.
    ///
    /// A line that must clear every noisy point lies above the truth by the largest of the errors, and each resample adds noise
    /// of the same size again: its line lies higher still. With errors growing by √2, extrapolating from the resamples
    /// (√2) over the observation (1) to no noise (0) removes that lift: simulation-extrapolation of Cook and Stefanski,
    /// *Simulation-Extrapolation Estimation in Parametric Measurement Error Models*, 1994, linear in the size of the noise.
    /// The interval lies about that extrapolated line and reaches up to the charge at least. Since the truth is hardly ever
    /// above the charge, the whole error probability is given to the lower end.
    pub(crate) fn new(
        demands: &[Demand],
        upper: &[f64],
        least_base: f64,
        bootstrap: &Bootstrap,
    ) -> Result<Self, ModelError> {
        let values = cover(demands, upper, least_base);
        let mut intervals: Vec<_> = values.iter().map(|&value| Estimate { value, low: value, high: value }).collect();
        for level in bootstrap.levels() {
            let centre = without_lift(demands, &bootstrap.observed, least_base, level.noise(&bootstrap.observed));
            let again = |statistics: &[f64]| {
                without_lift(demands, statistics, least_base, level.noise(&bootstrap.observed).take(INNER_RESAMPLES))
            };
            for ((interval, (_, error)), centre) in intervals.iter_mut().zip(level.moments(&again)).zip(centre) {
                interval.low = interval.low.min(centre - level.reach(error));
                interval.high = interval.high.max(centre + level.reach(error));
            }
        }
        if !intervals.iter().all(Estimate::is_finite) {
            return Err(ModelError::NotFinite { what: "covering line" });
        }
        Ok(Self { base: intervals[0], per_page: intervals[1], grow_per_page: intervals.get(2).copied() })
    }
}

/// Resamples by which the lift of a resample is estimated in its turn.
const INNER_RESAMPLES: usize = 20;

/// The covering line of the statistics, less the lift that their noise gives it.
fn without_lift(
    demands: &[Demand],
    statistics: &[f64],
    least_base: f64,
    noise: impl Iterator<Item = Vec<f64>>,
) -> Vec<f64> {
    let observed = cover(demands, statistics, least_base);
    let mut sums = vec![0.0; observed.len()];
    let mut count = 0.0;
    for factors in noise {
        let noisier: Vec<f64> = statistics.iter().zip(factors).map(|(value, factor)| value * factor).collect();
        sums.iter_mut().zip(cover(demands, &noisier, least_base)).for_each(|(sum, value)| *sum += value);
        count += 1.0;
    }
    let extrapolated = |(sum, value): (f64, &f64)| value - (sum / count - value) / (std::f64::consts::SQRT_2 - 1.0);
    sums.into_iter().zip(&observed).map(extrapolated).collect()
}

/// The least base of a covering line, as a share of the base that least squares by relative error finds.
///
/// Where the largest points are noisy, their upper ends steepen the line until it meets the axis at 0: a free call, although every
/// small point shows a base. A line that is held at half of that base still covers every point; it only charges small calls more.
pub(crate) const LEAST_BASE: f64 = 0.5;

/// Base, charge per page and, if a point grows, per grown page.
pub(crate) fn cover(demands: &[Demand], upper: &[f64], least_base: f64) -> Vec<f64> {
    let fixed: Vec<(f64, f64)> =
        demands.iter().filter(|demand| demand.grown == 0.0).map(|demand| (demand.pages, upper[demand.row])).collect();
    let (base, per_page) = covering_line(&fixed, least_base);
    let grow = demands.iter().filter(|demand| demand.grown > 0.0).map(|demand| {
        let at_least = upper[demand.row];
        let rest = base + per_page * demand.pages;
        raised((at_least - rest) / demand.grown, |grow| (at_least - (rest + grow * demand.grown)) / demand.grown)
    });
    [base, per_page].into_iter().chain(grow.reduce(f64::max).map(|grow| grow.max(0.0))).collect()
}

/// The line `base + per_page·x` with `base` at or above `least_base` and `per_page` at or above 0, at or above `u` at each of the points `(x, u)`, with
/// the smallest total relative overcharge `Σ((base + per_page·x)/u − 1)`.
///
/// For a given slope the smallest base is `max(u − slope·x)`, so the total is a convex, piecewise linear function of the slope
/// alone. Up to a factor it is the height of the line at `x̄ = Σ(x/u)/Σ(1/u)`: the best line is the one along the edge of the
/// points' upper hull above `x̄`, or the nearest slope for which neither coefficient is below its bound.
pub(crate) fn covering_line(points: &[(f64, f64)], least_base: f64) -> (f64, f64) {
    let hull = upper_hull(points);
    let (pages, calls) = points.iter().fold((0.0, 0.0), |(pages, calls), (x, u)| (pages + x / u, calls + 1.0 / u));
    let middle = pages / calls;
    let edge = hull.windows(2).find(|edge| middle < edge[1].0).or_else(|| hull.windows(2).last());
    let slope = edge.map_or(0.0, |edge| (edge[1].1 - edge[0].1) / (edge[1].0 - edge[0].0));
    let steepest = points.iter().map(|(x, u)| (u - least_base) / x).fold(0.0, f64::max);
    let slope = slope.clamp(0.0, steepest);
    let base = points.iter().map(|(x, u)| u - slope * x).fold(least_base, f64::max);
    let missing = |base: f64| points.iter().map(|(x, u)| u - (base + slope * x)).fold(0.0, f64::max);
    (raised(base, missing), slope)
}

/// The value raised by what rounding took away, until nothing is missing.
fn raised(mut value: f64, missing: impl Fn(f64) -> f64) -> f64 {
    loop {
        let still = missing(value);
        if !(still > 0.0 && value.is_finite()) {
            return value;
        }
        value = (value + still).max(value.next_up());
    }
}

/// The upper convex hull from left to right (Andrew's monotone chain).
fn upper_hull(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    sorted.dedup_by_key(|point| point.0);
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for point in sorted {
        while let [.., a, b] = hull[..]
            && (b.0 - a.0) * (point.1 - a.1) >= (b.1 - a.1) * (point.0 - a.0)
        {
            hull.pop();
        }
        hull.push(point);
    }
    hull
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn overcharge(points: &[(f64, f64)], base: f64, slope: f64) -> f64 {
        points.iter().map(|(x, u)| (base + slope * x) / u - 1.0).sum()
    }

    /// All vertices of the linear program: crossings of two constraints that satisfy the others.
    fn cheapest_vertex(points: &[(f64, f64)]) -> f64 {
        let mut vertices: Vec<(f64, f64)> = points.iter().flat_map(|&(x, u)| [(u, 0.0), (0.0, u / x)]).collect();
        for a in points {
            for b in points.iter().filter(|b| b.0 > a.0) {
                let slope = (b.1 - a.1) / (b.0 - a.0);
                vertices.push((a.1 - slope * a.0, slope));
            }
        }
        let feasible = |&(base, slope): &(f64, f64)| {
            base >= -1e-9 && slope >= -1e-9 && points.iter().all(|(x, u)| base + slope * x >= u * (1.0 - 1e-9))
        };
        vertices.into_iter().filter(feasible).map(|(b, s)| overcharge(points, b, s)).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn covers_every_point_at_the_least_overcharge(
            points in prop::collection::vec((1u32..1025, 1.0..1e8), 1..20)
        ) {
            let points: Vec<_> = points.into_iter().map(|(x, u)| (f64::from(x), u)).collect();
            let (base, slope) = covering_line(&points, 0.0);
            prop_assert!(base >= 0.0 && slope >= 0.0);
            for (x, u) in &points {
                prop_assert!(base + slope * x >= *u, "{base} + {slope}·{x} < {u}");
            }
            let best = cheapest_vertex(&points);
            let total = overcharge(&points, base, slope);
            prop_assert!(total <= best + (best.abs() + 20.0) * 1e-6, "{total} > {best}");
        }
    }

    proptest! {
        #[test]
        fn a_least_base_is_kept_at_the_least_overcharge(
            points in prop::collection::vec((1u32..1025, 1.0..1e8), 1..20),
            least in 0.0..1e7
        ) {
            let points: Vec<_> = points.into_iter().map(|(x, u)| (f64::from(x), u)).collect();
            let (base, slope) = covering_line(&points, least);
            prop_assert!(base >= least && slope >= 0.0);
            for (x, u) in &points {
                prop_assert!(base + slope * x >= *u, "{base} + {slope}·{x} < {u}");
            }
            // No line with the least base, and no cheaper one of the free optimum, does better.
            let (free, steep) = covering_line(&points, 0.0);
            if free >= least {
                prop_assert!((base - free).abs() <= free * 1e-9 && (slope - steep).abs() <= steep * 1e-9);
            } else {
                prop_assert!((base - least).abs() <= least * 1e-9);
            }
        }
    }

    #[test]
    fn noise_of_the_largest_points_makes_no_free_call() {
        let points = [(1.0, 68.0), (17.0, 480.0), (1024.0, 80_000.0)];
        assert!(covering_line(&points, 0.0).0 < 1.0, "the fault that this guards against");
        let (base, slope) = covering_line(&points, 20.0);
        assert!((base - 20.0).abs() < 1e-9 && slope < 80_000.0 / 1024.0);
    }

    #[test]
    fn recovers_an_exact_line() {
        let points: Vec<_> = [1.0, 17.0, 1024.0].map(|x| (x, 40.0 + 28.0 * x)).to_vec();
        let (base, slope) = covering_line(&points, 0.0);
        assert!((base - 40.0).abs() < 1e-9 && (slope - 28.0).abs() < 1e-12, "{base} {slope}");
    }

    #[test]
    fn convex_costs_keep_a_base_and_are_covered_at_both_ends() {
        let points = [(1.0, 68.0), (17.0, 480.0), (1024.0, 33_000.0)];
        let (base, slope) = covering_line(&points, 0.0);
        assert!((base + slope - 68.0).abs() < 1e-9 && base > 0.0);
        assert!((base + 1024.0 * slope - 33_000.0).abs() < 1e-6);
    }
}
