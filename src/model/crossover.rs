//! Where one strategy overtakes another: for each pair, the number of pages from which on the other is the cheaper.

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
    /// It changes with the number of pages: each change in ascending order.
    Changes(Vec<Crossover>),
    /// They cannot be told apart at any level.
    Unsure,
}

/// A number of pages at which the cheaper of two strategies changes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crossover {
    /// The pages, with the range in which the ratio cannot be told from 1.
    pub pages: Estimate,
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
            let levels: Vec<(Pages, Estimate)> = of_pair.iter().map(|&(cell, &log)| (cell.pages, log)).collect();
            let Some(&(cell, _)) = of_pair.first() else { continue };
            pairs.push(Pair {
                setting: setting.clone(),
                one: cell.names.0.into(),
                other: cell.names.1.into(),
                outcome: outcome(&levels),
                ratios: levels.into_iter().map(|(pages, log)| (pages, log.exp())).collect(),
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

/// Finds the changes of sign of logarithms of the ratio, given by ascending pages.
///
/// Between two levels the logarithm and the ends of its interval are taken to be linear in the logarithm of the pages. The range of a
/// crossover is where the interval then holds 0: the pages at which a test would not tell the two apart (Fieller, *Some problems in
/// interval estimation*, 1954, for the ratio of two means; here for the root of a line between them).
fn outcome(levels: &[(Pages, Estimate)]) -> Outcome {
    type End = fn(&Estimate) -> f64;
    let sign = |log: &Estimate| {
        if log.low > 0.0 {
            1
        } else if log.high < 0.0 {
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
                if other_beyond { (|log| log.low, |log| log.high) } else { (|log| log.high, |log| log.low) };
            let root = |of: &dyn Fn(&Estimate) -> f64| {
                let between = levels[from..=to].windows(2).find_map(|two| root(two[0], two[1], of));
                between.unwrap_or_else(|| f64::from(levels[to].0.0))
            };
            let (value, low, high) = (root(&|log| log.value), root(&near), root(&far));
            Crossover { pages: Estimate { value, low, high }, other_beyond }
        })
        .collect();
    match changes.is_empty() {
        false => Outcome::Changes(changes),
        true if sign(&levels[first].1) > 0 => Outcome::One,
        true => Outcome::Other,
    }
}

/// Where `of` passes 0 between two levels, if it does.
fn root(from: (Pages, Estimate), to: (Pages, Estimate), of: &dyn Fn(&Estimate) -> f64) -> Option<f64> {
    let (a, b) = (of(&from.1), of(&to.1));
    if a == 0.0 {
        return Some(f64::from(from.0.0));
    }
    if (a > 0.0) == (b > 0.0) {
        return None;
    }
    let (start, end) = (f64::from(from.0.0).ln(), f64::from(to.0.0).ln());
    Some((start + (end - start) * a / (a - b)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(logs: &[(u32, f64, f64)]) -> Vec<(Pages, Estimate)> {
        logs.iter().map(|&(pages, log, half)| (Pages(pages), Estimate::around(log, half))).collect()
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
        let Outcome::Changes(changes) = outcome(&levels(&[(1, 1.0, 0.5), (4, 1.0, 0.5), (64, -1.0, 0.5)])) else {
            panic!("it changes")
        };
        let [Crossover { pages, other_beyond: true }] = changes[..] else { panic!("once: {changes:?}") };
        assert!((pages.value - 16.0).abs() < 1e-9, "{pages:?}");
        // The lower end passes 0 after a quarter of the way, the upper after three quarters.
        assert!((pages.low - 8.0).abs() < 1e-9 && (pages.high - 32.0).abs() < 1e-9, "{pages:?}");
    }

    #[test]
    fn an_unsure_level_between_belongs_to_the_range() {
        let Outcome::Changes(changes) =
            outcome(&levels(&[(1, -1.0, 0.1), (8, -0.05, 0.2), (16, 0.05, 0.2), (128, 1.0, 0.1), (256, -1.0, 0.1)]))
        else {
            panic!("it changes")
        };
        let [first, second] = changes[..] else { panic!("twice: {changes:?}") };
        assert!(!first.other_beyond && second.other_beyond);
        assert!((8.0..16.0).contains(&first.pages.value), "{first:?}");
        assert!((1.0..8.0).contains(&first.pages.low) && (16.0..128.0).contains(&first.pages.high), "{first:?}");
    }
}
