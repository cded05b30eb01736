//! One number for each cycle of a design point, in ascending order.

use std::ops::Range;

use super::Statistic;
use super::statistic::quantile_within;

/// The values of a point's cycles in ascending order, each with the index of its round.
pub(crate) struct Series {
    values: Vec<f64>,
    rounds: Vec<u32>,
    by_round: Totals,
    by_process: Totals,
    /// The quantile that resamples are asked for; `None` for the mean.
    quantile: Option<f64>,
    /// Ranks near the quantile, where the quantile of a resample is looked for first.
    window: Range<usize>,
}

/// What each round or process adds to a resample, so that few cycles have to be looked at one by one.
#[derive(Default)]
struct Totals {
    cycles: Vec<u32>,
    /// Cycles below the window.
    below: Vec<u32>,
    sums: Vec<f64>,
}

/// How often a resample counts each round.
pub(crate) struct Weights {
    /// For each round.
    pub(crate) rounds: Vec<u32>,
    /// For each process, if all its rounds count alike.
    pub(crate) processes: Option<Vec<u32>>,
}

/// How far the window reaches to each side, as a share of the cycles. The quantile of a resample is seldom further away.
const REACH: f64 = 0.05;

impl Series {
    /// Sorts the values; `quantile` is what resamples will be asked for, `None` for the mean.
    #[expect(clippy::cast_precision_loss, reason = "counts of cycles are far below 2^53")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ranks lie between 0 and the count")]
    pub(crate) fn new(mut cycles: Vec<(f64, u32)>, process_of: &[u32], quantile: Option<f64>) -> Self {
        cycles.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let n = cycles.len();
        let rank = |quantile: f64| ((quantile * n as f64) as usize).min(n);
        let near = quantile.unwrap_or_default();
        let window = rank(near - REACH)..rank(near + REACH);
        let (mut by_round, mut by_process) = (Totals::default(), Totals::default());
        for (rank, &(value, round)) in cycles.iter().enumerate() {
            by_round.add(round as usize, value, rank < window.start);
            by_process.add(process_of[round as usize] as usize, value, rank < window.start);
        }
        let (values, rounds) = cycles.into_iter().unzip();
        Self { values, rounds, by_round, by_process, quantile, window }
    }

    /// The values in ascending order.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values with their rounds.
    pub(crate) fn cycles(&self) -> impl Iterator<Item = (f64, u32)> {
        self.values.iter().copied().zip(self.rounds.iter().copied())
    }

    /// The quantile or mean with each cycle counted as often as the weights say; `None` if no cycle counts.
    #[expect(clippy::cast_precision_loss, reason = "counts of cycles are far below 2^53")]
    pub(crate) fn resampled(&self, weights: &Weights) -> Option<f64> {
        let (totals, units) = match &weights.processes {
            Some(processes) => (&self.by_process, processes),
            None => (&self.by_round, &weights.rounds),
        };
        let total = weighted_count(&totals.cycles, units);
        if total == 0 {
            return None;
        }
        let Some(quantile) = self.quantile else {
            let sums = totals.sums.iter().zip(units).map(|(sum, &weight)| sum * f64::from(weight));
            return Some(sums.sum::<f64>() / total as f64);
        };
        let weighted = |ranks: Range<usize>| {
            let rounds = self.rounds[ranks.clone()].iter();
            self.values[ranks].iter().copied().zip(rounds.map(|&round| weights.rounds[round as usize]))
        };
        quantile_within(quantile, total, weighted_count(&totals.below, units), weighted(self.window.clone()))
            .or_else(|| quantile_within(quantile, total, 0, weighted(0..self.values.len())))
    }

    /// The statistic of each process by itself, where it has cycles.
    pub(crate) fn by_process(&self, statistic: Statistic, process_of: &[u32], processes: usize) -> Vec<Option<f64>> {
        let mut values = vec![Vec::new(); processes];
        for (value, round) in self.cycles() {
            values[process_of[round as usize] as usize].push(value);
        }
        values.iter().map(|values| statistic.of_sorted(values)).collect()
    }
}

impl Totals {
    fn add(&mut self, unit: usize, value: f64, below: bool) {
        if self.cycles.len() <= unit {
            self.cycles.resize(unit + 1, 0);
            self.below.resize(unit + 1, 0);
            self.sums.resize(unit + 1, 0.0);
        }
        self.cycles[unit] += 1;
        self.below[unit] += u32::from(below);
        self.sums[unit] += value;
    }
}

fn weighted_count(counts: &[u32], weights: &[u32]) -> u64 {
    counts.iter().zip(weights).map(|(&count, &weight)| u64::from(count) * u64::from(weight)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn resamples_count_cycles_as_copies(
            cycles in prop::collection::vec((-1e6..1e6, 0u32..8), 1..200),
            rounds in prop::collection::vec(0u32..4, 8),
            processes in prop::collection::vec(0u32..4, 4),
        ) {
            let process_of: Vec<u32> = (0..8).map(|round| round / 2).collect();
            let whole = process_of.iter().map(|&process| processes[process as usize]).collect();
            for weights in [Weights { rounds, processes: None }, Weights { rounds: whole, processes: Some(processes) }] {
                let copies = |&(value, round): &(f64, u32)| {
                    std::iter::repeat_n(value, weights.rounds[round as usize] as usize)
                };
                let mut copies: Vec<f64> = cycles.iter().flat_map(copies).collect();
                copies.sort_by(f64::total_cmp);
                for statistic in [Statistic::Mean, Statistic::Median, Statistic::P95, Statistic::P99] {
                    let series = Series::new(cycles.clone(), &process_of, statistic.quantile());
                    match (series.resampled(&weights), statistic.of_sorted(&copies)) {
                        (Some(resampled), Some(copied)) => prop_assert!((resampled - copied).abs() < 1e-6, "{statistic}"),
                        (resampled, copied) => prop_assert_eq!(resampled, copied),
                    }
                }
            }
        }
    }
}
