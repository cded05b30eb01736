//! Where one strategy overtakes another: along the pages in a setting, or along the touched share at a size.

use serde::{Deserialize, Serialize};

use super::form::Costs;
use super::grid::{Grid, strategies};
use super::ranking::log;
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::Point;
use crate::measure::{Samples, Setting};
use crate::units::Pages;

/// Two strategies compared over the levels of pages in one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// What all compared points have in common.
    pub setting: Setting,
    /// The one.
    pub one: String,
    /// The other.
    pub other: String,
    /// At each level of pages, in ascending order: the cost of the other over that of the one.
    pub ratios: Vec<(Pages, Estimate)>,
    /// What follows.
    pub outcome: Outcome,
}

/// Which of two is the cheaper, as far as the intervals tell them apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The one is, at every level at which they can be told apart.
    One,
    /// The other is, likewise.
    Other,
    /// It changes along the way: each change in ascending order.
    Changes(Vec<Crossover>),
    /// They cannot be told apart at any level.
    Unsure,
}

/// Where the cheaper of two strategies changes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crossover {
    /// The pages or the touched share, with the range in which the two cannot be told apart.
    pub at: Estimate,
    /// Whether the other is the cheaper beyond, otherwise the one is.
    pub other_beyond: bool,
}

/// Compares every two strategies in every setting that both have.
///
/// All strategies of a setting are resampled together: a process that is slow is slow for all, which cancels in a ratio.
///
/// # Errors
/// [`ModelError`] if the samples allow no statistics.
pub fn crossovers(samples: &Samples, settings: &FitSettings) -> Result<Vec<Pair>, ModelError> {
    settings.check()?;
    let names: Vec<&str> = strategies(samples)?.into_keys().collect();
    let mut all: Vec<Setting> = samples.points.iter().map(Setting::of).collect();
    all.sort_unstable();
    all.dedup();
    let mut pairs = Vec::new();
    for setting in all {
        let chosen: Vec<usize> =
            (0..samples.points.len()).filter(|&index| Setting::of(&samples.points[index]) == setting).collect();
        let grid = Grid::new(samples, &chosen)?;
        let resamples = settings.resamples_for(samples.len());
        let costs = Costs::measured(&grid, settings, resamples)?;
        let cells = cells(&grid.points, &names);
        let logs = |costs: &[f64]| cells.iter().map(|cell| log(costs[cell.other]) - log(costs[cell.one])).collect();
        let ratios = costs.bootstrap.estimates("ratio of two strategies' costs", logs)?;
        for of_pair in cells.iter().zip(&ratios).collect::<Vec<_>>().chunk_by(|(a, _), (b, _)| a.names == b.names) {
            let levels: Vec<(f64, Estimate)> =
                of_pair.iter().map(|&(cell, &log)| (f64::from(cell.pages.0).ln(), log)).collect();
            let Some(&(cell, _)) = of_pair.first() else { continue };
            pairs.push(Pair {
                setting: setting.clone(),
                one: cell.names.0.into(),
                other: cell.names.1.into(),
                outcome: outcome(&levels).mapped(Estimate::exp),
                ratios: of_pair.iter().map(|&(cell, log)| (cell.pages, log.exp())).collect(),
            });
        }
    }
    Ok(pairs)
}

/// Two points that differ in their strategy alone.
struct Cell<'a> {
    names: (&'a str, &'a str),
    pages: Pages,
    /// Places in the grid.
    one: usize,
    other: usize,
}

/// The cells of all pairs, those of one pair together and by ascending pages.
fn cells<'a>(points: &[&Point], names: &[&'a str]) -> Vec<Cell<'a>> {
    let mut cells = Vec::new();
    for (at, &first) in names.iter().enumerate() {
        for &second in &names[at + 1..] {
            let mut of_pair: Vec<Cell> = Vec::new();
            for (one, point) in points.iter().enumerate().filter(|(_, point)| point.strategy == first) {
                let same = |other: &&Point| other.strategy == second && other.under("") == point.under("");
                if let Some(other) = points.iter().position(same) {
                    of_pair.push(Cell { names: (first, second), pages: point.initial_pages(), one, other });
                }
            }
            of_pair.sort_by_key(|cell| cell.pages);
            cells.append(&mut of_pair);
        }
    }
    cells
}

impl Outcome {
    /// The same where places are told otherwise.
    fn mapped(self, place: fn(Estimate) -> Estimate) -> Self {
        match self {
            Self::Changes(changes) => {
                Self::Changes(changes.into_iter().map(|change| Crossover { at: place(change.at), ..change }).collect())
            }
            settled => settled,
        }
    }
}

/// Finds the changes of sign of what the other costs more than the one, given at ascending places.
///
/// Between two places it and the ends of its interval are taken to be linear. The range of a crossover is where the interval then holds
/// 0: the places at which a test would not tell the two apart (Fieller, *Some problems in interval estimation*, 1954, for the ratio of two
/// means; here for the root of a line between them). As the interval of a blend of two costs is at most as wide as the blend of their
/// intervals, the range is rather too wide than too narrow.
pub(super) fn outcome(levels: &[(f64, Estimate)]) -> Outcome {
    type End = fn(&Estimate) -> f64;
    let sign = |more: &Estimate| {
        if more.low > 0.0 {
            1
        } else if more.high < 0.0 {
            -1
        } else {
            0
        }
    };
    let sure: Vec<usize> = (0..levels.len()).filter(|&at| sign(&levels[at].1) != 0).collect();
    let Some(&first) = sure.first() else { return Outcome::Unsure };
    let changes: Vec<Crossover> = sure
        .windows(2)
        .filter(|window| sign(&levels[window[0]].1) != sign(&levels[window[1]].1))
        .map(|window| {
            let (from, to) = (window[0], window[1]);
            let other_beyond = sign(&levels[from].1) > 0;
            // The end of the interval that reaches 0 first on the way, and the one that reaches it last.
            let (near, far): (End, End) =
                if other_beyond { (|more| more.low, |more| more.high) } else { (|more| more.high, |more| more.low) };
            let root = |of: &dyn Fn(&Estimate) -> f64| {
                let between = levels[from..=to].windows(2).find_map(|two| root(two[0], two[1], of));
                between.unwrap_or(levels[to].0)
            };
            let (value, low, high) = (root(&|more| more.value), root(&near), root(&far));
            Crossover { at: Estimate { value, low, high }, other_beyond }
        })
        .collect();
    match changes.is_empty() {
        false => Outcome::Changes(changes),
        true if sign(&levels[first].1) > 0 => Outcome::One,
        true => Outcome::Other,
    }
}

/// Where `of` passes 0 between two places, if it does.
fn root(from: (f64, Estimate), to: (f64, Estimate), of: &dyn Fn(&Estimate) -> f64) -> Option<f64> {
    let (a, b) = (of(&from.1), of(&to.1));
    if a == 0.0 {
        return Some(from.0);
    }
    if (a > 0.0) == (b > 0.0) {
        return None;
    }
    Some(from.0 + (to.0 - from.0) * a / (a - b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(logs: &[(u32, f64, f64)]) -> Vec<(f64, Estimate)> {
        logs.iter().map(|&(pages, log, half)| (f64::from(pages).ln(), Estimate::around(log, half))).collect()
    }

    #[test]
    fn the_sign_of_sure_levels_decides() {
        assert_eq!(outcome(&levels(&[(1, 0.5, 0.1), (16, 0.05, 0.1), (64, 0.2, 0.1)])), Outcome::One);
        assert_eq!(outcome(&levels(&[(1, -0.5, 0.1), (16, 0.05, 0.1)])), Outcome::Other);
        assert_eq!(outcome(&levels(&[(1, -0.05, 0.1), (16, 0.05, 0.1)])), Outcome::Unsure);
        assert_eq!(outcome(&[]), Outcome::Unsure);
    }

    #[test]
    fn a_crossover_lies_where_the_ratio_is_one_and_its_range_where_that_cannot_be_denied() {
        // From +1 to −1 between 4 and 64 pages: halfway in the logarithm is 16.
        let Outcome::Changes(changes) =
            outcome(&levels(&[(1, 1.0, 0.5), (4, 1.0, 0.5), (64, -1.0, 0.5)])).mapped(Estimate::exp)
        else {
            panic!("it changes")
        };
        let [Crossover { at: pages, other_beyond: true }] = changes[..] else { panic!("once: {changes:?}") };
        assert!((pages.value - 16.0).abs() < 1e-9, "{pages:?}");
        // The lower end passes 0 after a quarter of the way, the upper after three quarters.
        assert!((pages.low - 8.0).abs() < 1e-9 && (pages.high - 32.0).abs() < 1e-9, "{pages:?}");
    }

    #[test]
    fn an_unsure_level_between_belongs_to_the_range() {
        let Outcome::Changes(changes) =
            outcome(&levels(&[(1, -1.0, 0.1), (8, -0.05, 0.2), (16, 0.05, 0.2), (128, 1.0, 0.1), (256, -1.0, 0.1)]))
                .mapped(Estimate::exp)
        else {
            panic!("it changes")
        };
        let [first, second] = changes[..] else { panic!("twice: {changes:?}") };
        assert!(!first.other_beyond && second.other_beyond);
        assert!((8.0..16.0).contains(&first.at.value), "{first:?}");
        assert!((1.0..8.0).contains(&first.at.low) && (16.0..128.0).contains(&first.at.high), "{first:?}");
    }
}
