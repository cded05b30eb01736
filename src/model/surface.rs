//! What calls cost under each strategy by declared pages and touched share.

use super::bootstrap::Bootstrap;
use super::form::Costs;
use super::grid::{Grid, strategies};
use super::{FitSettings, Knots, ModelError};
use crate::measure::Samples;

/// The costs of all strategies at the same [`Knots`], resampled together: a process that is slow is slow for all.
pub struct Surface<'a> {
    pub(super) strategies: Vec<&'a str>,
    pub(super) knots: Knots,
    pub(super) bootstrap: Bootstrap,
}

impl<'a> Surface<'a> {
    /// Of a run that compares strategies.
    ///
    /// # Errors
    /// [`ModelError`] if the samples allow no statistics, or the strategies have no point in common.
    pub fn new(samples: &'a Samples, settings: &FitSettings) -> Result<Self, ModelError> {
        settings.check()?;
        let strategies: Vec<&str> = strategies(samples)?.into_keys().collect();
        let knots = Knots::of(&samples.points);
        let mut chosen = Vec::new();
        for name in &strategies {
            for &knot in knots.all() {
                let here = |point: &_| Knots::knot(point) == Some(knot);
                chosen.extend(samples.points.iter().position(|point| point.strategy == *name && here(point)));
            }
        }
        if chosen.is_empty() {
            return Err(ModelError::NothingInCommon);
        }
        let grid = Grid::new(samples, &chosen)?;
        let bootstrap = Costs::measured(&grid, settings, settings.resamples_for(samples.len()))?.bootstrap;
        Ok(Self { strategies, knots, bootstrap })
    }

    /// What the strategy with this number costs at each knot, of all costs.
    pub(super) fn of<'b>(&self, strategy: usize, costs: &'b [f64]) -> &'b [f64] {
        let knots = self.knots.all().len();
        &costs[strategy * knots..(strategy + 1) * knots]
    }
}

/// A simulated run of strategies over knots (declared pages, touched pages): `cost` tells the nanoseconds of each, which processes,
/// common to all, and cycles disturb.
#[cfg(test)]
pub(super) fn simulated(
    seed: u64,
    strategies: &[&str],
    knots: &[(u32, u32)],
    cost: impl Fn(&str, f64, f64) -> f64,
) -> Samples {
    use rand::SeedableRng;

    use super::simulated::normal;
    use crate::experiment::memory::TOUCHED_PAGES;
    use crate::experiment::{Point, STRATEGIES};
    use crate::measure::Place;
    use crate::units::Pages;

    let mut random = rand::rngs::ChaCha8Rng::seed_from_u64(seed);
    let point = |name: &str, &(declared, touched): &(u32, u32)| {
        Point::of_memory("simulated", &format!("pages{declared}"), name, Pages(declared))
            .with(&TOUCHED_PAGES, touched.into())
    };
    let points: Vec<Point> =
        strategies.iter().flat_map(|name| knots.iter().map(move |knot| point(name, knot))).collect();
    let mut samples = Samples::of(&STRATEGIES, points.clone());
    for process in 0..8 {
        let common = 0.02 * normal(&mut random);
        let own: Vec<f64> = points.iter().map(|_| 0.01 * normal(&mut random)).collect();
        for round in 0..6 {
            for (order, point) in (0..).zip(&points) {
                let truth = cost(&point.strategy, point.initial_pages().0.into(), point.touched_pages().0.into());
                let time = truth * (common + own[order as usize] + 0.05 * normal(&mut random)).exp();
                let mut values = vec![0; STRATEGIES.values()];
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and below 2^53")]
                let nanos = time as u64;
                values[3] = nanos;
                samples.push(Place { process, round, order, point: order }, &values);
            }
        }
    }
    samples
}
