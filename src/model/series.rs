//! One number for each cycle of a design point, in ascending order.

use super::Statistic;

/// The values of a point's cycles in ascending order, each with the index of its round.
pub(crate) struct Series {
    values: Vec<f64>,
    rounds: Vec<u32>,
    /// How many cycles each round has, in order of rounds.
    counts: Vec<(u32, u32)>,
}

impl Series {
    pub(crate) fn new(mut cycles: Vec<(f64, u32)>) -> Self {
        let mut counts: Vec<(u32, u32)> = Vec::new();
        let mut rounds: Vec<u32> = cycles.iter().map(|&(_, round)| round).collect();
        rounds.sort_unstable();
        for round in rounds {
            match counts.last_mut() {
                Some((last, count)) if *last == round => *count += 1,
                _ => counts.push((round, 1)),
            }
        }
        cycles.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (values, rounds) = cycles.into_iter().unzip();
        Self { values, rounds, counts }
    }

    /// The values in ascending order.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values with their rounds.
    pub(crate) fn cycles(&self) -> impl Iterator<Item = (f64, u32)> {
        self.values.iter().copied().zip(self.rounds.iter().copied())
    }

    /// The statistic with each cycle counted as often as the weight of its round says; `None` if no cycle counts.
    pub(crate) fn resampled(&self, statistic: Statistic, weights: &[u32]) -> Option<f64> {
        let weight = |round: u32| weights[round as usize];
        let total: u64 = self.counts.iter().map(|&(round, count)| u64::from(weight(round)) * u64::from(count)).sum();
        (total > 0).then(|| statistic.weighted(total, self.cycles().map(|(value, round)| (value, weight(round)))))
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
