//! Which strategy is the cheapest over all levels of pages.

use serde::{Deserialize, Serialize};

use super::form::Costs;
use super::grid::{Grid, strategies};
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::conditions::WRITE_WIDTH;
use crate::experiment::{Levels, Point, WriteWidth};
use crate::measure::{Samples, Setting, Share};

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

/// The strategies by ascending cost of calls that touch every page.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Which calls: those that write every byte, as far as all strategies were measured there, otherwise those that are [`priced`].
    pub setting: Setting,
    /// Each strategy over the cheapest of all.
    pub all: Vec<Rank>,
    /// Those alone whose idle slots hold the least, each over the cheapest of them.
    pub least_held: Vec<Rank>,
}

/// The setting that is priced: usual conditions, every page touched.
#[must_use]
pub fn priced() -> Setting {
    Setting::default()
}

/// Ranks the strategies over the points that all of them have; `holds_least` tells those whose idle slots hold the least. All are
/// resampled together: a process that is slow is slow for all, which cancels in a ratio.
///
/// # Errors
/// [`ModelError`] if the samples allow no statistics.
pub fn ranking(
    samples: &Samples,
    settings: &FitSettings,
    holds_least: impl Fn(&str) -> bool,
) -> Result<Ranking, ModelError> {
    settings.check()?;
    let names: Vec<&str> = strategies(samples)?.into_keys().collect();
    let work = |point: &Point| Point { strategy: String::new(), ..point.clone() };
    let in_common = |setting: &Setting| -> Vec<usize> {
        let everywhere = |point: &Point| {
            let of =
                |name: &&str| samples.points.iter().any(|other| other.strategy == *name && work(other) == work(point));
            Setting::of(point) == *setting && names.iter().all(of)
        };
        (0..samples.points.len()).filter(|&index| everywhere(&samples.points[index])).collect()
    };
    let every_byte = Levels::default().with(&WRITE_WIDTH, WriteWidth::EveryByte as u64);
    let ranked = [Setting { conditions: every_byte, share: Share::All }, priced()].into_iter();
    let mut ranked = ranked.map(|setting| (in_common(&setting), setting)).filter(|(chosen, _)| !chosen.is_empty());
    let (chosen, setting) = ranked.next().ok_or(ModelError::NothingInCommon)?;
    let grid = Grid::new(samples, &chosen)?;
    let costs = Costs::measured(&grid, settings, settings.resamples_for(samples.len()))?;
    let mean = |costs: &[f64], name: &str| {
        let logs =
            grid.points.iter().zip(costs).filter(|(point, _)| point.strategy == name).map(|(_, &cost)| log(cost));
        let (sum, count) = logs.fold((0.0, 0.0), |(sum, count), log| (sum + log, count + 1.0));
        sum / count
    };
    let observed = |name: &str| mean(&costs.bootstrap.observed, name);
    let ranks = |names: &[&str]| {
        let Some(&best) = names.iter().min_by(|a, b| observed(a).total_cmp(&observed(b))) else {
            return Ok(Vec::new());
        };
        let ratios = costs.bootstrap.estimates("ratio to the cheapest strategy", |costs| {
            names.iter().map(|name| mean(costs, name) - mean(costs, best)).collect()
        })?;
        let mut ranks: Vec<Rank> =
            names.iter().zip(ratios).map(|(&name, log)| Rank { strategy: name.into(), ratio: log.exp() }).collect();
        ranks.sort_by(|a, b| a.ratio.value.total_cmp(&b.ratio.value));
        Ok(ranks)
    };
    let least_held: Vec<&str> = names.iter().copied().filter(|name| holds_least(name)).collect();
    Ok(Ranking { setting, all: ranks(&names)?, least_held: ranks(&least_held)? })
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
        let ranks = ranking(&samples(cost), &FitSettings::default(), |_| true).unwrap().all;
        assert_eq!(ranks.iter().map(|rank| rank.strategy.as_str()).collect::<Vec<_>>(), ["b", "a", "c"]);
        assert!((ranks[1].ratio.value - 3.0).abs() < 1e-9 && (ranks[2].ratio.value - 9.0).abs() < 1e-9);
        assert!(ranks[1].ratio.relative_half_width() < 1e-9 && ranks[1].ratio.low > 1.0, "{:?}", ranks[1]);
    }

    #[test]
    fn noise_of_their_own_leaves_them_level() {
        let cost = |strategy: usize, _: u32, turn: u64| 1000 + [0, 1, 500][strategy] + 300 * (turn ^ strategy as u64);
        let ranks = ranking(&samples(cost), &FitSettings::default(), |_| true).unwrap().all;
        assert!(ranks.len() == 3 && ranks[1].ratio.low <= 1.0, "{ranks:?}");
    }

    /// Their ratios to a third strategy, whose noise is its own, overlap; what they have in common cancels in the ratio to each other.
    #[test]
    fn those_that_hold_the_least_are_held_against_the_cheapest_of_them() {
        let cost = |strategy: usize, pages: u32, turn: u64| {
            let noise = if strategy == 0 { 10 + 5 * (turn % 2) } else { 10 + 5 * (turn / 2) };
            [100, 1000, 1050][strategy] * u64::from(pages) * noise
        };
        let ranking = ranking(&samples(cost), &FitSettings::default(), |name| name != "a").unwrap();
        assert!(ranking.all[1].ratio.high > ranking.all[2].ratio.low, "{ranking:?}");
        let [b, c] = &ranking.least_held[..] else { panic!("{ranking:?}") };
        assert_eq!((b.strategy.as_str(), c.strategy.as_str()), ("b", "c"));
        assert!(b.ratio == Estimate::around(1.0, 0.0) && c.ratio.low > 1.04 && c.ratio.high < 1.06, "{ranking:?}");
    }

    /// A fee covers every byte written, so the worst case is not the cost of a byte in each host page.
    #[test]
    fn the_worst_case_writes_every_byte_where_that_was_measured() {
        let cost = |strategy: usize, pages: u32, _| [100, 200, 300][strategy] * u64::from(pages);
        let mut samples = samples(cost);
        let by_a_byte = ranking(&samples, &FitSettings::default(), |_| true).unwrap();
        assert_eq!((&by_a_byte.setting, by_a_byte.all[0].strategy.as_str()), (&priced(), "a"));
        // Written in full, the dearest by a byte is the cheapest; only the larger size was measured so.
        for (name, nanos) in [("a", 9000), ("b", 7000), ("c", 6000)] {
            let of = |point: &&Point| point.strategy == name && point.initial_pages() == Pages(17);
            let point = samples.points.iter().find(of).unwrap().clone();
            let index = u32::try_from(samples.points.len()).unwrap();
            samples.points.push(point.with(&WRITE_WIDTH, WriteWidth::EveryByte as u64));
            for turn in 0..4 {
                let place = Place { process: turn / 2, round: turn % 2, order: index, point: index };
                samples.push(place, &[0, 0, 0, nanos, 0, 0, 0]);
            }
        }
        let ranking = ranking(&samples, &FitSettings::default(), |_| true).unwrap();
        let setting = Setting::of(samples.points.last().unwrap());
        assert_eq!((&ranking.setting, ranking.all[0].strategy.as_str()), (&setting, "c"));
        assert!((ranking.all[2].ratio.value - 1.5).abs() < 1e-9, "{ranking:?}");
    }
}
