//! The covering charge: the smallest linear charge that undercharges no class of points by more than its margin.

use serde::{Deserialize, Serialize};

use super::band::reach;
use super::classes::{Resampled, dearest, works};
use super::design::Design;
use super::line::non_negative;
use super::programme::Programme;
use super::{Estimate, ModelError};
use crate::experiment::{BASE, Experiment, Point, Term};

/// The covering charge `base + Σ price × term`, in nanoseconds.
///
/// It is at or above the cost of every class with the margin of the settings on top: it follows what was found in the middle, and
/// never how widely that scatters, so that a noisier run is no dearer one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covering {
    /// Charge for a call whatever its terms.
    pub base: Estimate,
    /// The price of each term that is charged for and that some point has.
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

/// The charge by size alone, in the forms that a model states its own in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeCharge {
    /// On the reference machine.
    pub covering: Covering,
    /// By the times as measured; `None` where these are what the other covers.
    pub measured: Option<Covering>,
}

/// What points demand of a charge.
///
/// Points that do the same work in different surroundings pay the same, so the dearest of them stands for all: it is the one to be
/// covered, and the one that what a charge takes too much is held against.
///
/// Where a fee is by factors, no part of it is below what the line of least relative error makes of these bounds: a base that is dear enough
/// for every measured point would let a factor go for less than it costs, and a module that has more of it than any of them would not pay.
pub(crate) struct Demands {
    terms: Vec<&'static Term>,
    works: Vec<Vec<usize>>,
    programme: Programme,
    line: Option<Design>,
}

impl Demands {
    /// Of these points. Terms that no point has are left out: nothing tells what they cost.
    pub(crate) fn new(experiment: &Experiment, terms: &[&'static Term], points: &[&Point]) -> Self {
        let varies = |term: &&&Term| points.iter().any(|point| term.level(point) > 0.0);
        let terms: Vec<&'static Term> = terms.iter().filter(varies).copied().collect();
        let works = works(experiment, points);
        let rows = works.iter().map(|work| columns(&terms, points[work[0]])).enumerate().collect();
        let line = (!experiment.is_of_memory()).then(|| Design::new(experiment, &[], points, 0..points.len()));
        let line = line.filter(|line| line.rows.len() > line.factors.len());
        Self { terms, works, programme: Programme::new(rows), line }
    }

    /// The coefficients of the cheapest charge at or above these bounds, one for each point, base first.
    ///
    /// # Errors
    /// [`ModelError::NoCharge`] if none was found.
    pub(crate) fn cover(&self, bounds: &[f64]) -> Result<Vec<f64>, ModelError> {
        let dearest: Vec<f64> = self.dearest(bounds).map(|at| bounds[at]).collect();
        let solved = self.programme.solve(&dearest, &self.least(bounds));
        solved.ok_or_else(|| ModelError::NoCharge { terms: self.terms.iter().map(|term| term.name).collect() })
    }

    /// What each part costs at the least, base first.
    fn least(&self, bounds: &[f64]) -> Vec<f64> {
        let mut least = vec![0.0; self.terms.len() + 1];
        let Some(line) = &self.line else { return least };
        for (factor, cost) in line.factors.iter().zip(non_negative(line, bounds)).filter(|(_, cost)| cost.is_finite()) {
            let priced = || self.terms.iter().position(|term| term.counts(factor)).map(|at| at + 1);
            let place = if **factor == BASE { Some(0) } else { priced() };
            if let Some(place) = place {
                least[place] = cost;
            }
        }
        least
    }

    /// Of each work the point that costs most.
    pub(crate) fn dearest(&self, costs: &[f64]) -> impl Iterator<Item = usize> {
        dearest(&self.works, |at| costs[at])
    }

    /// What these coefficients charge for a point.
    pub(crate) fn charge(&self, coefficients: &[f64], point: &Point) -> f64 {
        columns(&self.terms, point).iter().zip(coefficients).map(|(column, value)| column * value).sum()
    }
}

fn columns(terms: &[&'static Term], point: &Point) -> Vec<f64> {
    std::iter::once(1.0).chain(terms.iter().map(|term| term.level(point))).collect()
}

/// What a cost is before it is charged.
pub(crate) struct Scale<'a> {
    /// For each class the nanoseconds that its figure is multiplied by.
    pub(crate) nanos: &'a [f64],
    /// For each class the deviation between runs of the figure's logarithm, apart from all others.
    pub(crate) between_runs: &'a [f64],
    /// The deviation between runs that all have in common.
    pub(crate) common: f64,
    /// What is put on top, 0.05 for 5 %.
    pub(crate) margin: f64,
    /// Confidence of the intervals.
    pub(crate) confidence: f64,
}

impl Covering {
    /// The charge for a point.
    #[must_use]
    pub fn charge(&self, point: &Point) -> f64 {
        self.base.value + self.terms.iter().map(|of| of.price.value * of.term.level(point)).sum::<f64>()
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

    /// Base and prices, each with its name.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'static str, Estimate)> {
        std::iter::once(("base", self.base)).chain(self.terms.iter().map(|of| (of.term.name, of.price)))
    }

    /// Covers the figures of the classes.
    ///
    /// The interval of each coefficient is in its logarithm, as costs are above 0. Its error is that over the resamples, and what
    /// each class moves between runs, and all together, to first order. Where a coefficient is 0 in some resample, the error is taken relative to
    /// its value and the interval cut off at 0.
    pub(crate) fn new(demands: &Demands, resampled: &Resampled, scale: &Scale<'_>) -> Result<Self, ModelError> {
        let cover = |logs: &[f64]| {
            let bounds = logs.iter().zip(scale.nanos).map(|(log, nanos)| log.exp() * nanos * (1.0 + scale.margin));
            demands.cover(&bounds.collect::<Vec<_>>())
        };
        let values = cover(&resampled.logs)?;
        let replicates: Vec<Vec<f64>> =
            resampled.replicates.iter().map(|logs| cover(logs)).collect::<Result<_, ModelError>>()?;
        let one_moved = |at: usize| {
            let mut logs = resampled.logs.clone();
            logs[at] += scale.between_runs[at];
            cover(&logs)
        };
        let all_moved = || cover(&resampled.logs.iter().map(|log| log + scale.common).collect::<Vec<_>>());
        let moved: Vec<Vec<f64>> = (0..resampled.logs.len())
            .map(one_moved)
            .chain(std::iter::once_with(all_moved))
            .collect::<Result<_, ModelError>>()?;
        let estimate = |at: usize| {
            let value = values[at];
            let found = replicates.iter().map(move |coefficients| coefficients[at]);
            let runs = |off: &dyn Fn(f64) -> f64| {
                moved.iter().map(|coefficients| off(coefficients[at]).powi(2)).sum::<f64>().sqrt()
            };
            let half = |error: f64, runs: f64| reach(error, resampled.freedom, runs, scale.confidence);
            if value > 0.0 && found.clone().all(|found| found > 0.0) && moved.iter().all(|moved| moved[at] > 0.0) {
                let error = resampled.error(found.map(f64::ln));
                return Estimate::around(value.ln(), half(error, runs(&|moved| (moved / value).ln()))).exp();
            }
            let half = half(resampled.error(found), runs(&|moved| moved - value));
            Estimate { value, low: (value - half).max(0.0), high: value + half }
        };
        let estimates: Vec<Estimate> = (0..values.len()).map(estimate).collect();
        if !estimates.iter().all(Estimate::is_finite) {
            return Err(ModelError::NotFinite { what: "covering charge" });
        }
        let prices = demands.terms.iter().zip(&estimates[1..]);
        let terms = prices.map(|(&term, &price)| TermPrice { term, price }).collect();
        Ok(Self { base: estimates[0], terms })
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulated_load::{cost, points};
    use super::*;
    use crate::experiment::LOAD;

    /// The base that one odd module asks for would pay for a part of every other factor.
    #[test]
    fn no_factor_goes_for_less_than_it_costs_though_the_base_is_dear_enough_for_all_that_was_measured() {
        let points = points();
        let all: Vec<&Point> = points.iter().collect();
        let mut bounds: Vec<f64> = all.iter().map(|point| cost(point)).collect();
        let smallest = (0..bounds.len()).min_by(|one, other| bounds[*one].total_cmp(&bounds[*other])).unwrap();
        bounds[smallest] *= 4.0;
        let demands = Demands::new(&LOAD, LOAD.terms, &all);
        let least = demands.least(&bounds);
        let least_share = |prices: &[f64]| {
            let shares =
                prices.iter().zip(&least).filter(|(_, least)| **least > 0.0).map(|(price, least)| price / least);
            shares.fold(f64::INFINITY, f64::min)
        };
        let prices = demands.cover(&bounds).unwrap();
        assert!(least_share(&prices) > 1.0 - 1e-9, "{prices:?}, not {least:?}");
        assert!(all.iter().zip(&bounds).all(|(point, bound)| demands.charge(&prices, point) >= *bound));
        let without = Demands { line: None, ..demands }.cover(&bounds).unwrap();
        assert!(least_share(&without) < 0.5, "{without:?}, not {least:?}");
    }
}
