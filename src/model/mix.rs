//! What a call of a node's own mix costs under each strategy.

use std::collections::BTreeSet;

use serde::Serialize;

use super::ranking::log;
use super::{Estimate, ModelError, Surface, Workload};
use crate::units::Pages;

/// The strategies by ascending cost of a call of a [`Workload`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mix {
    /// Kinds of calls in it.
    pub kinds: usize,
    /// The part of its weight that lies at measured points.
    pub measured: f64,
    /// The sizes of calls that lie between points: [`Knots::between`](super::Knots::between).
    pub between: BTreeSet<Pages>,
    /// The costs.
    pub expected: Vec<Expected>,
}

/// What a call costs under a strategy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expected {
    /// The strategy.
    pub strategy: String,
    /// The mean of the points' costs, each by its weight in the workload, in nanoseconds.
    pub cost: Estimate,
    /// The same over that of the cheapest, which has exactly 1.
    pub ratio: Estimate,
}

/// Blends the costs at the knots as the calls of the workload lie between them.
///
/// # Errors
/// [`ModelError::NothingInCommon`] if a call lies beyond all points, which [`Workload::within`] tells by its line.
pub fn mix(surface: &Surface<'_>, workload: &Workload) -> Result<Mix, ModelError> {
    let Surface { strategies, knots, bootstrap } = surface;
    let total: f64 = workload.kinds().iter().map(|kind| kind.weight).sum();
    let mut parts = vec![0.0; knots.all().len()];
    let (mut measured, mut apart) = (0.0, BTreeSet::new());
    for kind in workload.kinds() {
        let between = knots.between(kind.pages, kind.touched_share).ok_or(ModelError::NothingInCommon)?;
        if between.len() == 1 {
            measured += kind.weight / total;
        } else {
            apart.insert(kind.pages);
        }
        for (knot, part) in between {
            parts[knot] += part * kind.weight / total;
        }
    }
    let means = |costs: &[f64]| -> Vec<f64> {
        let mean = |at| surface.of(at, costs).iter().zip(&parts).map(|(cost, part)| cost * part).sum();
        (0..strategies.len()).map(mean).collect()
    };
    let observed = means(&bootstrap.observed);
    let cheapest = (0..observed.len()).min_by(|&a, &b| observed[a].total_cmp(&observed[b])).unwrap_or_default();
    let costs = bootstrap.estimates("cost of a call of the workload", means)?;
    let ratios = bootstrap.estimates("ratio to the cheapest strategy", |costs| {
        let means = means(costs);
        means.iter().map(|&mean| log(mean) - log(means[cheapest])).collect()
    })?;
    let found = strategies.iter().zip(costs).zip(ratios);
    let mut expected: Vec<Expected> =
        found.map(|((&name, cost), log)| Expected { strategy: name.into(), cost, ratio: log.exp() }).collect();
    expected.sort_by(|a, b| a.ratio.value.total_cmp(&b.ratio.value));
    Ok(Mix { kinds: workload.kinds().len(), measured, between: apart, expected })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rayon::prelude::*;

    use super::super::surface::simulated;
    use super::*;
    use crate::model::FitSettings;

    const KNOTS: [(u32, u32); 6] = [(1, 0), (1, 1), (17, 0), (17, 1), (17, 17), (64, 64)];

    fn cost(strategy: &str, declared: f64, touched: f64) -> f64 {
        if strategy == "kept" { 5_000.0 + 3_000.0 * declared } else { 20_000.0 + 30_000.0 * touched }
    }

    fn workload(rows: &str) -> Workload {
        Workload::parse(&format!("pages,touched_share,weight\n{rows}"), Path::new("mix.csv")).unwrap()
    }

    fn found(seed: u64, workload: &Workload) -> Mix {
        let samples = simulated(seed, &["kept", "mapped"], &KNOTS, cost);
        let settings = FitSettings { seed, resamples: Some(200), ..FitSettings::default() };
        mix(&Surface::new(&samples, &settings).unwrap(), workload).unwrap()
    }

    #[test]
    fn intervals_hold_the_true_mean_as_often_as_they_say() {
        // 9 pages touching 4.5 lie between sizes and shares.
        let workload = workload("17,0.058823529411764705,3\n1,1,2\n9,0.5,5\n");
        let truth = |strategy: &str| {
            0.3 * cost(strategy, 17.0, 1.0) + 0.2 * cost(strategy, 1.0, 1.0) + 0.5 * cost(strategy, 9.0, 4.5)
        };
        let ratio = truth("mapped") / truth("kept");
        let held: Vec<[bool; 3]> = (0..100u64)
            .into_par_iter()
            .map(|seed| {
                let mix = found(seed, &workload);
                let [kept, mapped] = &mix.expected[..] else { panic!("{mix:?}") };
                assert_eq!((kept.strategy.as_str(), mapped.strategy.as_str()), ("kept", "mapped"));
                assert!(kept.ratio == Estimate::around(1.0, 0.0) && (mix.measured - 0.5).abs() < 1e-12);
                assert_eq!(mix.between, [Pages(9)].into());
                let costs = [kept, mapped].map(|of| of.cost.holds(truth(&of.strategy)));
                [costs[0], costs[1], mapped.ratio.holds(ratio)]
            })
            .collect();
        for at in 0..3 {
            let held = held.iter().filter(|held| held[at]).count();
            assert!((88..=100).contains(&held), "{at}: {held} of 100");
        }
    }

    #[test]
    fn weights_count_by_their_parts_alone() {
        let (small, large) = (workload("1,1,1\n17,0,3\n"), workload("1,1,1e9\n17,0,3e9\n"));
        let (small, large) = (found(1, &small), found(1, &large));
        for (small, large) in small.expected.iter().zip(&large.expected) {
            assert!((small.cost.value / large.cost.value - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_call_beyond_all_points_has_no_cost() {
        let samples = simulated(1, &["kept", "mapped"], &KNOTS, cost);
        let surface = Surface::new(&samples, &FitSettings::default()).unwrap();
        assert_eq!(mix(&surface, &workload("65,1,1\n")), Err(ModelError::NothingInCommon));
    }
}
