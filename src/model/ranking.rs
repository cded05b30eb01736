//! Which strategy is the cheapest over all levels of pages.

use serde::{Deserialize, Serialize};

use super::form::Costs;
use super::grid::{Grid, strategies};
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::Point;
use crate::measure::{Samples, Setting};

/// A strategy's cost over that of the cheapest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rank {
    /// Its name.
    pub strategy: String,
    /// The geometric mean over the levels of pages of its cost over that of the cheapest one, which has exactly 1.
    pub ratio: Estimate,
}

/// The logarithm of a cost. One that noise brought to 0 or below counts as a nanosecond, which makes the interval so wide that nothing
/// follows from it: the difference of two touches can be negative where other threads disturb both.
pub(super) fn log(cost: f64) -> f64 {
    cost.max(1.0).ln()
}

impl Rank {
    /// Whether it cannot be told apart from the cheapest.
    #[must_use]
    pub fn is_level(&self) -> bool {
        self.ratio.low <= 1.0
    }
}

/// The setting that is priced: usual conditions, every page touched.
#[must_use]
pub fn priced() -> Setting {
    Setting::default()
}

/// The strategies by ascending cost in the setting that is priced, over the points that all of them have.
///
/// # Errors
/// [`ModelError`] if the samples allow no statistics.
pub fn ranking(samples: &Samples, settings: &FitSettings) -> Result<Vec<Rank>, ModelError> {
    settings.check()?;
    let names: Vec<&str> = strategies(samples)?.into_keys().collect();
    let work = |point: &Point| Point { strategy: String::new(), ..point.clone() };
    let everywhere = |point: &Point| {
        let of = |name: &&str| samples.points.iter().any(|other| other.strategy == *name && work(other) == work(point));
        Setting::of(point) == priced() && names.iter().all(of)
    };
    let chosen: Vec<usize> = (0..samples.points.len()).filter(|&index| everywhere(&samples.points[index])).collect();
    if chosen.is_empty() {
        return Err(ModelError::NothingInCommon);
    }
    let grid = Grid::new(samples, &chosen)?;
    let costs = Costs::measured(&grid, settings, settings.resamples_for(samples.len()))?;
    let mean = |costs: &[f64], name: &str| {
        let logs =
            grid.points.iter().zip(costs).filter(|(point, _)| point.strategy == name).map(|(_, &cost)| log(cost));
        let (sum, count) = logs.fold((0.0, 0.0), |(sum, count), log| (sum + log, count + 1.0));
        sum / count
    };
    let observed = |name: &str| mean(&costs.bootstrap.observed, name);
    let Some(&best) = names.iter().min_by(|a, b| observed(a).total_cmp(&observed(b))) else { return Ok(Vec::new()) };
    let ratios = costs.bootstrap.estimates("ratio to the cheapest strategy", |costs| {
        names.iter().map(|name| mean(costs, name) - mean(costs, best)).collect()
    })?;
    let mut ranks: Vec<Rank> =
        names.iter().zip(ratios).map(|(&name, log)| Rank { strategy: name.into(), ratio: log.exp() }).collect();
    ranks.sort_by(|a, b| a.ratio.value.total_cmp(&b.ratio.value));
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Place;
    use crate::units::Pages;

    /// Two processes of two rounds; `cost` tells nanoseconds by strategy, level and noise.
    fn samples(cost: impl Fn(usize, u32, u64) -> u64) -> Samples {
        let mut samples = Samples::default();
        for (strategy, name) in ["a", "b", "c"].into_iter().enumerate() {
            for pages in [1, 17] {
                let point = u32::try_from(samples.points.len()).unwrap();
                samples.points.push(Point::of_memory("touch-memory", &format!("pages{pages}"), name, Pages(pages)));
                for turn in 0..4 {
                    let (process, round) = (turn / 2, turn % 2);
                    let reset = cost(strategy, pages, u64::from(turn));
                    samples.push(Place { process, round, order: point, point }, &[0, 0, 0, reset, 0, 0, 0]);
                }
            }
        }
        samples
    }

    #[test]
    fn the_cheapest_comes_first_and_noise_common_to_all_cancels() {
        let cost = |strategy: usize, pages: u32, turn: u64| [300, 100, 900][strategy] * u64::from(pages) * (10 + turn);
        let ranks = ranking(&samples(cost), &FitSettings::default()).unwrap();
        assert_eq!(ranks.iter().map(|rank| rank.strategy.as_str()).collect::<Vec<_>>(), ["b", "a", "c"]);
        assert!((ranks[1].ratio.value - 3.0).abs() < 1e-9 && (ranks[2].ratio.value - 9.0).abs() < 1e-9);
        assert!(ranks[1].ratio.relative_half_width() < 1e-9 && !ranks[1].is_level(), "{:?}", ranks[1]);
    }

    #[test]
    fn noise_of_their_own_leaves_them_level() {
        let cost = |strategy: usize, _: u32, turn: u64| 1000 + [0, 1, 500][strategy] + 300 * (turn ^ strategy as u64);
        let ranks = ranking(&samples(cost), &FitSettings::default()).unwrap();
        assert!(ranks[0].is_level() && ranks[1].is_level(), "{ranks:?}");
    }
}
