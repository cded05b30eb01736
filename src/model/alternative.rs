//! What other terms would charge, so that a chain sees what a term buys.

use serde::{Deserialize, Serialize};

use super::covering::Demands;
use super::{ClassFit, FitSettings, ModelError};
use crate::experiment::memory::{DATA_BASE, PER_DATA_PAGE, PER_GROWN_PAGE, PER_PAGE};
use crate::experiment::{Experiment, Point, Term, page_beyond};

/// Pages from which on a further page is charged apart: the linker's default stack makes 16 of them, which nearly every contract
/// declares, and what comes beyond outgrows the caches.
const TIER: u32 = 16;

/// A covering charge with other terms than the chain's own, or with the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// What is charged for beside the base, and for a memory beside growth.
    pub terms: Vec<&'static Term>,
    /// Nanoseconds for the base, then for each unit of each term; for a memory growth last.
    pub prices: Vec<f64>,
    /// The most that a class of points would pay above what it costs where it costs most: 0.5 for half as much again.
    pub worst: f64,
    /// The class that would.
    pub dearest: String,
    /// Whether it covers the points alone that the line is drawn through, and so not what is made of what takes longest.
    #[serde(default)]
    pub of_line: bool,
}

/// Pages alone, then more terms of those that some point has, and the chain's `own`.
fn more_and_more(own: &[&'static Term], has: impl Fn(&&'static Term) -> bool) -> Vec<Vec<&'static Term>> {
    let mut sets: Vec<Vec<&'static Term>> = vec![vec![&PER_PAGE]];
    let further = [&PER_DATA_PAGE].into_iter().chain(page_beyond(TIER)).chain([&DATA_BASE]);
    for term in further.filter(&has) {
        let mut larger = sets.last().cloned().unwrap_or_default();
        larger.push(term);
        sets.push(larger);
    }
    let own: Vec<&'static Term> = own.iter().copied().filter(&has).collect();
    if !sets.contains(&own) {
        let as_many = sets.iter().position(|set| set.len() >= own.len()).unwrap_or(sets.len());
        sets.insert(as_many, own);
    }
    sets
}

/// All of them, all without each of them, and the size alone.
fn without_each(all: Vec<&'static Term>, by_size: &'static Term) -> Vec<Vec<&'static Term>> {
    let without = |left_out: &&'static Term| all.iter().copied().filter(|term| term != left_out).collect();
    let mut sets: Vec<Vec<&'static Term>> = all.iter().map(without).collect();
    sets.insert(0, all);
    sets.push(vec![by_size]);
    sets
}

impl Alternative {
    /// One for each set of terms that a chain could charge for.
    ///
    /// # Errors
    /// [`ModelError::NoCharge`] if none was found for a set.
    pub(crate) fn all(
        experiment: &Experiment,
        points: &[&Point],
        costs: &[f64],
        settings: &FitSettings,
    ) -> Result<Vec<Self>, ModelError> {
        let has = |term: &&'static Term| points.iter().any(|point| term.level(point) > 0.0);
        let (sets, always) = match experiment.by_size {
            None if !experiment.is_of_memory() => return Ok(Vec::new()),
            None => (more_and_more(&settings.terms, has), Some(&PER_GROWN_PAGE)),
            Some(of) => (without_each(experiment.terms.iter().copied().filter(has).collect(), &of.term), None),
        };
        let of = |terms: Vec<&'static Term>, (points, costs): (&[&Point], &[f64]), of_line: bool| {
            let bounds: Vec<f64> = costs.iter().map(|cost| cost * (1.0 + settings.margin)).collect();
            let all: Vec<&'static Term> = terms.iter().copied().chain(always).collect();
            let demands = Demands::new(experiment, &all, points);
            let prices = demands.cover(&bounds)?;
            let over = |at: usize| (demands.charge(&prices, points[at]) / costs[at] - 1.0, points[at]);
            let most = demands.dearest(costs).map(over).max_by(|one, other| one.0.total_cmp(&other.0));
            let found = |(worst, point)| Self { terms, prices, worst, dearest: ClassFit::label_of(point), of_line };
            Ok(most.map(found))
        };
        let line = experiment.by_size.and(experiment.beyond_line).and_then(|beyond| {
            let on_line = points.iter().zip(costs).filter(|(point, _)| beyond.at(point) == 0);
            let (points, costs): (Vec<&Point>, Vec<f64>) = on_line.unzip();
            let has = |term: &&'static Term| points.iter().any(|point| term.level(point) > 0.0);
            of(sets.first()?.iter().copied().filter(has).collect(), (&points, &costs), true).transpose()
        });
        let all = sets.into_iter().filter_map(|terms| of(terms, (points, costs), false).transpose());
        all.chain(line).collect()
    }

    /// What it leaves out of what an experiment prices, in words, by the names of parameters.
    #[must_use]
    pub fn words(&self, experiment: &Experiment) -> String {
        let names = |terms: &mut dyn Iterator<Item = &'static Term>| {
            terms.map(|term| term.parameter.name).collect::<Vec<_>>().join(", ")
        };
        let left_out = names(&mut experiment.terms.iter().copied().filter(|term| !self.terms.contains(term)));
        match &self.terms[..] {
            _ if self.of_line => "every factor, the usual mix alone".into(),
            [one] if experiment.by_size.is_some_and(|of| of.term == **one) => format!("{} alone", one.parameter.name),
            _ if left_out.is_empty() => "every factor".into(),
            _ => format!("without {left_out}"),
        }
    }

    /// What a point would pay that does not grow, in nanoseconds.
    #[must_use]
    pub fn charge(&self, point: &Point) -> f64 {
        let levels = std::iter::once(1.0).chain(self.terms.iter().map(|term| term.level(point)));
        levels.zip(&self.prices).map(|(level, price)| level * price).sum()
    }
}
