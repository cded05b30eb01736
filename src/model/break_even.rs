//! From which touched share on one strategy is cheaper than another.

use serde::{Deserialize, Serialize};

use super::crossover::{Outcome, outcome};
use super::{Estimate, ModelError, Surface};
use crate::units::Pages;

/// Two strategies compared over the touched shares of one size, in usual surroundings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreakEven {
    /// The declared pages.
    pub pages: Pages,
    /// The one.
    pub one: String,
    /// The other.
    pub other: String,
    /// At each touched share, in ascending order: what the other costs more than the one, in nanoseconds.
    pub more: Vec<(f64, Estimate)>,
    /// What follows: places are touched shares from 0 to 1. Between two shares costs are linear.
    pub outcome: Outcome,
}

/// Compares every two strategies over the touched shares of every size.
///
/// # Errors
/// [`ModelError::NotFinite`] if a resample gives no number.
pub fn break_even(surface: &Surface<'_>) -> Result<Vec<BreakEven>, ModelError> {
    let Surface { strategies, knots, bootstrap } = surface;
    let pairs: Vec<(usize, usize)> =
        (0..strategies.len()).flat_map(|one| (one + 1..strategies.len()).map(move |other| (one, other))).collect();
    let more = |costs: &[f64]| {
        let of_pair = |&(one, other): &(usize, usize)| {
            surface.of(one, costs).iter().zip(surface.of(other, costs)).map(|(one, other)| other - one)
        };
        pairs.iter().flat_map(of_pair).collect()
    };
    let more = bootstrap.estimates("difference of two strategies' costs", more)?;
    let mut compared = Vec::new();
    for (&(one, other), more) in pairs.iter().zip(more.chunks(knots.all().len())) {
        for (pages, range) in knots.sizes() {
            let more: Vec<(f64, Estimate)> = range.map(|knot| (knots.share(knot), more[knot])).collect();
            let (one, other) = (strategies[one].to_owned(), strategies[other].to_owned());
            compared.push(BreakEven { pages, one, other, outcome: outcome(&more), more });
        }
    }
    Ok(compared)
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::super::surface::simulated;
    use super::*;
    use crate::model::{Crossover, FitSettings};

    const KNOTS: [(u32, u32); 8] =
        [(4, 0), (4, 4), (1024, 0), (1024, 1), (1024, 64), (1024, 256), (1024, 1024), (2048, 2048)];

    /// One that pays for touched pages, one for declared ones, and one that always costs twice the first.
    fn cost(strategy: &str, declared: f64, touched: f64) -> f64 {
        match strategy {
            "kept" => 10_000.0 + 2_000.0 * declared + 1_000.0 * touched,
            "mapped" => 30_000.0 + 29_000.0 * touched,
            _ => 60_000.0 + 58_000.0 * touched,
        }
    }

    fn found(seed: u64, names: &[&str], pages: u32) -> BreakEven {
        let samples = simulated(seed, names, &KNOTS, cost);
        let settings = FitSettings { seed, resamples: Some(200), ..FitSettings::default() };
        let mut all = break_even(&Surface::new(&samples, &settings).unwrap()).unwrap();
        all.retain(|found| found.pages == Pages(pages));
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn the_interval_holds_the_true_share_as_often_as_it_says() {
        // 30 µs + 29 µs × t = 2058 µs + 1 µs × t, of 1024 pages.
        let truth = 2_028_000.0 / 28_000.0 / 1024.0;
        let held = (0..200u64).into_par_iter().filter(|&seed| {
            let found = found(seed, &["kept", "mapped"], 1024);
            let Outcome::Changes(changes) = &found.outcome else { panic!("it changes: {found:?}") };
            let [Crossover { at, other_beyond: false }] = changes[..] else { panic!("once, to the kept: {found:?}") };
            assert!((at.value / truth - 1.0).abs() < 0.1 && at.high / at.low < 1.3, "{at:?}");
            at.holds(truth)
        });
        let held = held.count();
        assert!((184..=200).contains(&held), "{held} of 200");
    }

    #[test]
    fn one_that_is_cheaper_everywhere_has_no_break_even() {
        assert_eq!(found(1, &["mapped", "twice"], 1024).outcome, Outcome::One);
        assert_eq!(found(1, &["a", "mapped"], 1024).outcome, Outcome::Other);
    }

    #[test]
    fn those_that_cost_the_same_are_not_told_apart() {
        assert_eq!(found(7, &["a", "b"], 1024).outcome, Outcome::Unsure);
    }

    #[test]
    fn the_difference_stands_at_every_measured_share() {
        let found = found(3, &["kept", "mapped"], 4);
        let [(none, low), (all, high)] = found.more[..] else { panic!("{found:?}") };
        assert!(none.abs() < 1e-12 && (all - 1.0).abs() < 1e-12);
        assert!(low.holds(30_000.0 - 18_000.0) && high.holds(146_000.0 - 22_000.0), "{found:?}");
    }
}
