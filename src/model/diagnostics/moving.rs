//! Points whose cost differs between processes by more than rounds explain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::Statistic;
use crate::model::grid::Grid;
use crate::model::series::Series;
use crate::model::student::f_p_value;

/// A point that moves between processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moving {
    /// Label of the point.
    pub point: String,
    /// p-value of the Kruskal-Wallis test in its F form.
    pub p_value: f64,
    /// The dearest process's median over the cheapest's.
    pub ratio: f64,
}

/// The points whose processes differ, at the given significance after division by the number of points (Bonferroni).
///
/// The test is an analysis of variance of ranks, equivalent to Kruskal-Wallis (Conover and Iman, *Rank Transformations as a
/// Bridge Between Parametric and Nonparametric Statistics*, 1981), so that outliers do not decide it. A round's median counts once:
/// what slows a whole round slows all its cycles, which are not independent.
#[expect(clippy::cast_precision_loss, reason = "counts of points are small")]
pub(crate) fn moving(
    grid: &Grid<'_>,
    series: &[Series],
    medians: &[Vec<Option<f64>>],
    significance: f64,
) -> Vec<Moving> {
    let limit = significance / series.len() as f64;
    let tested = series.iter().zip(medians).zip(&grid.points).filter_map(|((series, medians), point)| {
        let p_value = rank_test(series, &grid.process_of, grid.processes.len())?;
        let medians = || medians.iter().copied().flatten();
        let ratio = medians().fold(f64::MIN, f64::max) / medians().fold(f64::MAX, f64::min);
        (p_value < limit && ratio.is_finite()).then(|| Moving { point: point.label(), p_value, ratio })
    });
    tested.collect()
}

/// p-value that the processes are alike; `None` if there is nothing to compare.
#[expect(clippy::cast_precision_loss, reason = "counts of rounds are far below 2^53")]
fn rank_test(series: &Series, process_of: &[u32], processes: usize) -> Option<f64> {
    let mut sums = vec![(0.0, 0.0); processes];
    let mut total = 0.0;
    let mut squares = 0.0;
    let mut by_round: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (value, round) in series.cycles() {
        by_round.entry(round).or_default().push(value);
    }
    let median = |(round, values): (u32, Vec<f64>)| Some((Statistic::Median.of_sorted(&values)?, round));
    let mut rounds: Vec<(f64, u32)> = by_round.into_iter().filter_map(median).collect();
    rounds.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut start = 0;
    // Equal values share the middle of their ranks.
    for tied in rounds.chunk_by(|a, b| a.0.to_bits() == b.0.to_bits()) {
        let rank = start as f64 + f64::midpoint(tied.len() as f64, 1.0);
        start += tied.len();
        for (_, round) in tied {
            let (count, sum) = &mut sums[process_of[*round as usize] as usize];
            *count += 1.0;
            *sum += rank;
            total += rank;
            squares += rank * rank;
        }
    }
    let n = rounds.len() as f64;
    let groups = sums.iter().filter(|(count, _)| *count > 0.0).count() as f64;
    if groups < 2.0 || n <= groups {
        return None;
    }
    let mean = total * total / n;
    let between: f64 =
        sums.iter().filter(|(count, _)| *count > 0.0).map(|(count, sum)| sum * sum / count).sum::<f64>() - mean;
    let within = squares - mean - between;
    if within <= 0.0 {
        return Some(if between > 0.0 { 0.0 } else { 1.0 });
    }
    Some(f_p_value(between / (groups - 1.0) / (within / (n - groups)), groups - 1.0, n - groups))
}
