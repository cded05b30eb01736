//! What other terms would charge, so that a chain sees what a term buys.

use serde::{Deserialize, Serialize};

use super::ClassFit;
use super::covering::Demands;
use crate::experiment::memory::{DATA_BASE, PER_DATA_PAGE, PER_GROWN_PAGE, PER_PAGE};
use crate::experiment::{Experiment, Point, Term, page_beyond};

/// Pages from which on a further page is charged apart: the linker's default stack makes 16 of them, which nearly every contract
/// declares, and what comes beyond outgrows the caches.
const TIER: u32 = 16;

/// A covering charge with other terms than the chain's own, or with the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// What is charged for beside the base and growth.
    pub terms: Vec<&'static Term>,
    /// Nanoseconds for a call, then for each unit of each term, growth last.
    pub prices: Vec<f64>,
    /// The most that a class of points would pay above what it costs where it costs most: 0.5 for half as much again.
    pub worst: f64,
    /// The class that would.
    pub dearest: String,
}

impl Alternative {
    /// One for each set of terms that some of the points have, the fewest terms first.
    pub(crate) fn all(experiment: &Experiment, points: &[&Point], costs: &[f64], margin: f64) -> Vec<Self> {
        let further = [&PER_DATA_PAGE].into_iter().chain(page_beyond(TIER)).chain([&DATA_BASE]);
        let mut sets: Vec<Vec<&'static Term>> = vec![vec![&PER_PAGE]];
        for term in further.filter(|term| points.iter().any(|point| term.level(point) > 0.0)) {
            let mut larger = sets.last().cloned().unwrap_or_default();
            larger.push(term);
            sets.push(larger);
        }
        let bounds: Vec<f64> = costs.iter().map(|cost| cost * (1.0 + margin)).collect();
        let of = |terms: Vec<&'static Term>| {
            let all: Vec<&'static Term> = terms.iter().copied().chain([&PER_GROWN_PAGE]).collect();
            let demands = Demands::new(experiment, &all, points);
            let prices = demands.cover(&bounds);
            let over = |at: usize| (demands.charge(&prices, points[at]) / costs[at] - 1.0, points[at]);
            let over = demands.dearest(costs).map(over);
            let (worst, dearest) = over.max_by(|one, other| one.0.total_cmp(&other.0))?;
            Some(Self { terms, prices, worst, dearest: ClassFit::label_of(dearest) })
        };
        sets.into_iter().filter_map(of).collect()
    }

    /// What a call would pay that does not grow, in nanoseconds.
    #[must_use]
    pub fn charge(&self, point: &Point) -> f64 {
        let levels = std::iter::once(1.0).chain(self.terms.iter().map(|term| term.level(point)));
        levels.zip(&self.prices).map(|(level, price)| level * price).sum()
    }
}
