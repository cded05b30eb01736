//! The covering charge: the smallest linear charge that undercharges no measured point.

use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::programme::Programme;
use super::{Estimate, ModelError};
use crate::experiment::{Experiment, Point, Term};

/// The covering charge `base + Σ price × term`, in nanoseconds.
///
/// The values are computed from the *upper ends* of the points' intervals, so they are meant to lie above the truth, by
/// about half the width of a point's interval. The truth that the intervals hold is the covering charge of the points' true
/// statistics; for costs that are linear this is the cost itself. The upper end of an interval is the value, or higher.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covering {
    /// Charge for a call whatever its terms.
    pub base: Estimate,
    /// The price of each term that some point has.
    pub terms: Vec<TermPrice>,
}

/// What a term costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermPrice {
    /// The term, by its name.
    pub term: &'static Term,
    /// Nanoseconds for each unit of it.
    pub price: Estimate,
}

/// What the points of an experiment demand of a charge.
pub(crate) struct Demands {
    terms: Vec<&'static Term>,
    programme: Programme,
}

impl Demands {
    /// Of the points at these rows. Terms that no point has are left out: nothing tells what they cost.
    pub(crate) fn new(experiment: &Experiment, points: &[&Point], rows: impl IntoIterator<Item = usize>) -> Self {
        let rows: Vec<usize> = rows.into_iter().collect();
        let varies = |term: &&Term| rows.iter().any(|&row| term.column.of(points[row]) > 0.0);
        let terms: Vec<&'static Term> = experiment.terms.iter().filter(varies).collect();
        let columns = |&row: &usize| (row, columns(&terms, points[row]));
        let programme = Programme::new(rows.iter().map(columns).collect());
        Self { terms, programme }
    }

    /// The coefficients of the cheapest charge at or above these bounds, base first.
    pub(crate) fn cover(&self, bounds: &[f64], least_base: f64) -> Vec<f64> {
        let mut least = vec![0.0; self.terms.len() + 1];
        least[0] = least_base;
        self.programme.solve(bounds, &least)
    }

    /// What these coefficients charge for a point.
    pub(crate) fn charge(&self, coefficients: &[f64], point: &Point) -> f64 {
        columns(&self.terms, point).iter().zip(coefficients).map(|(column, value)| column * value).sum()
    }
}

fn columns(terms: &[&'static Term], point: &Point) -> Vec<f64> {
    std::iter::once(1.0).chain(terms.iter().map(|term| term.column.of(point))).collect()
}

impl Covering {
    /// The charge for a point.
    #[must_use]
    pub fn charge(&self, point: &Point) -> f64 {
        self.base.value + self.terms.iter().map(|of| of.price.value * of.term.column.of(point)).sum::<f64>()
    }

    /// The price of the experiment's first term, if it was measured.
    #[must_use]
    pub fn leading(&self) -> Option<Estimate> {
        self.terms.first().map(|of| of.price)
    }

    /// The price of the term of this name, if it was measured.
    #[must_use]
    pub fn price(&self, term: &str) -> Option<Estimate> {
        self.terms.iter().find(|of| of.term.name == term).map(|of| of.price)
    }

    /// Covers the demands given the upper ends of the points' intervals.
    ///
    /// A charge that must clear every noisy point lies above the truth by the largest of the errors, and each resample adds noise
    /// of the same size again: its charge lies higher still. With errors growing by √2, extrapolating from the resamples
    /// (√2) over the observation (1) to no noise (0) removes that lift: simulation-extrapolation of Cook and Stefanski,
    /// *Simulation-Extrapolation Estimation in Parametric Measurement Error Models*, 1994, linear in the size of the noise.
    /// The interval lies about that extrapolated charge and reaches up to the charge at least. Since the truth is hardly ever
    /// above the charge, the whole error probability is given to the lower end.
    pub(crate) fn new(
        demands: &Demands,
        upper: &[f64],
        least_base: f64,
        bootstrap: &Bootstrap,
    ) -> Result<Self, ModelError> {
        let coefficients = demands.cover(upper, least_base);
        let estimate = |&value: &f64| Estimate { value, low: value, high: value };
        let mut intervals: Vec<_> = coefficients.iter().map(estimate).collect();
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
            return Err(ModelError::NotFinite { what: "covering charge" });
        }
        let prices = demands.terms.iter().zip(&intervals[1..]);
        let terms = prices.map(|(&term, &price)| TermPrice { term, price }).collect();
        Ok(Self { base: intervals[0], terms })
    }
}

/// Resamples by which the lift of a resample is estimated in its turn.
const INNER_RESAMPLES: usize = 20;

/// The least base of a covering charge, as a share of the base that least squares by relative error finds.
///
/// Where the largest points are noisy, their upper ends steepen the charge until it meets the axis at 0: a free call, although every
/// small point shows a base. A charge that is held at half of that base still covers every point; it only charges small calls more.
pub(crate) const LEAST_BASE: f64 = 0.5;

/// The covering charge of the statistics, less the lift that their noise gives it.
fn without_lift(
    demands: &Demands,
    statistics: &[f64],
    least_base: f64,
    noise: impl Iterator<Item = Vec<f64>>,
) -> Vec<f64> {
    let observed = demands.cover(statistics, least_base);
    let mut sums = vec![0.0; observed.len()];
    let mut count = 0.0;
    for factors in noise {
        let noisier: Vec<f64> = statistics.iter().zip(factors).map(|(value, factor)| value * factor).collect();
        let covered = demands.cover(&noisier, least_base);
        sums.iter_mut().zip(covered).for_each(|(sum, value)| *sum += value);
        count += 1.0;
    }
    let extrapolated = |(sum, value): (f64, &f64)| value - (sum / count - value) / (std::f64::consts::SQRT_2 - 1.0);
    sums.into_iter().zip(&observed).map(extrapolated).collect()
}
