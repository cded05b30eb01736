use std::collections::BTreeMap;

use super::Statistic;
use super::points::fences;
use crate::measure::Samples;

/// Steps in which a run is shown: as many as a chart has room for, whatever the number of cycles.
const STEPS: u32 = 240;

/// The costs of a strategy's cycles in the order in which they were measured, each over the median of its point.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timeline {
    /// Worker processes.
    pub processes: u32,
    /// The steps, from the first to the last.
    pub steps: Vec<Step>,
}

/// What some rounds of a process found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Where it lies, in processes: 2.5 is the middle of the third.
    pub at: f64,
    /// Cycles in it.
    pub cycles: usize,
    /// The level below which 5 % of its cycles lie.
    pub low: f64,
    /// Their median.
    pub median: f64,
    /// The level above which 5 % lie.
    pub high: f64,
    /// Cycles that are far out for their point.
    pub far_out: usize,
    /// The farthest of these.
    pub farthest: Option<f64>,
}

impl Timeline {
    /// Of the cycles under a strategy.
    #[must_use]
    pub fn new(samples: &Samples, strategy: &str) -> Self {
        let own: Vec<bool> = samples.points.iter().map(|point| point.strategy == strategy).collect();
        let cycles = || samples.iter().filter(|sample| own.get(sample.place.point as usize) == Some(&true));
        let mut costs: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for sample in cycles() {
            costs.entry(sample.place.point).or_default().push(samples.experiment.cost(sample.values));
        }
        let levels: BTreeMap<u32, Level> =
            costs.into_iter().filter_map(|(point, costs)| Some((point, Level::of(costs)?))).collect();
        // Numbered as they came: one that replaces a killed one has a number far above the others.
        let mut ranks: BTreeMap<u32, u32> = BTreeMap::new();
        for sample in cycles() {
            let next = u32::try_from(ranks.len()).unwrap_or(u32::MAX);
            ranks.entry(sample.place.process).or_insert(next);
        }
        let processes = u32::try_from(ranks.len()).unwrap_or(u32::MAX);
        let rounds = cycles().map(|sample| sample.place.round + 1).max().unwrap_or(0);
        let per_process = rounds.min((STEPS / processes.max(1)).max(1));
        let mut steps: BTreeMap<(u32, u32), Vec<(f64, bool)>> = BTreeMap::new();
        for sample in cycles() {
            let (Some(level), Some(&process)) = (levels.get(&sample.place.point), ranks.get(&sample.place.process))
            else {
                continue;
            };
            // The product of two 32-bit numbers needs 64.
            let part = u64::from(sample.place.round) * u64::from(per_process) / u64::from(rounds);
            let part = u32::try_from(part).unwrap_or(u32::MAX);
            steps.entry((process, part)).or_default().push(level.place(samples.experiment.cost(sample.values)));
        }
        let step =
            |((process, part), cycles)| Step::of(process, (f64::from(part) + 0.5) / f64::from(per_process), cycles);
        Self { processes, steps: steps.into_iter().filter_map(step).collect() }
    }

    /// The level of each process: the median of its steps' medians.
    #[must_use]
    pub fn by_process(&self) -> Vec<f64> {
        let level = |process: u32| {
            let own = self.steps.iter().filter(|step| (f64::from(process)..f64::from(process + 1)).contains(&step.at));
            let mut medians: Vec<f64> = own.map(|step| step.median).collect();
            medians.sort_unstable_by(f64::total_cmp);
            Statistic::Median.of_sorted(&medians)
        };
        (0..self.processes).filter_map(level).collect()
    }

    /// Cycles that are far out for their point.
    #[must_use]
    pub fn far_out(&self) -> usize {
        self.steps.iter().map(|step| step.far_out).sum()
    }
}

/// What is usual for a point.
struct Level {
    median: f64,
    fences: (f64, f64),
}

impl Level {
    fn of(mut costs: Vec<f64>) -> Option<Self> {
        costs.sort_unstable_by(f64::total_cmp);
        Some(Self { median: Statistic::Median.of_sorted(&costs)?, fences: fences(&costs) })
    }

    /// The cost of a cycle over the median, and whether it is far out.
    fn place(&self, cost: f64) -> (f64, bool) {
        (cost / self.median, cost < self.fences.0 || cost > self.fences.1)
    }
}

impl Step {
    fn of(process: u32, part: f64, mut cycles: Vec<(f64, bool)>) -> Option<Self> {
        cycles.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let ratios: Vec<f64> = cycles.iter().map(|(ratio, _)| *ratio).collect();
        let last = ratios.len().checked_sub(1)?;
        let far = || cycles.iter().filter(|(_, far)| *far).map(|(ratio, _)| *ratio);
        Some(Self {
            at: f64::from(process) + part,
            cycles: ratios.len(),
            low: ratios[last / 20],
            median: Statistic::Median.of_sorted(&ratios)?,
            high: ratios[last - last / 20],
            far_out: far().count(),
            farthest: far().max_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{MEMORY, Point};
    use crate::measure::Place;
    use crate::units::Pages;

    /// Cycles of one point: process, round, time.
    fn samples(cycles: impl Iterator<Item = (u32, u32, u64)>) -> Samples {
        let mut samples = Samples::of(&MEMORY, vec![Point::of_memory("a", "b", "fresh-map", Pages(1))]);
        for (process, round, time) in cycles {
            samples.push(Place { process, round, order: 0, point: 0 }, &[time, 0, 0, 0, 1, 16, 0]);
        }
        samples
    }

    #[test]
    fn a_long_run_is_shown_in_few_steps_and_no_cycle_is_lost() {
        let cycles =
            (0..4).flat_map(|process| (0..5000).map(move |round| (process, round, 1000 + u64::from(round % 7))));
        let timeline = Timeline::new(&samples(cycles), "fresh-map");
        assert_eq!((timeline.processes, timeline.steps.len()), (4, 240));
        assert_eq!(timeline.steps.iter().map(|step| step.cycles).sum::<usize>(), 20_000);
        assert!(timeline.steps.windows(2).all(|pair| pair[0].at < pair[1].at));
    }

    #[test]
    fn a_far_out_cycle_is_seen_where_it_was_and_a_replaced_process_leaves_no_gap() {
        let cycles = (0..200u32).map(|round| {
            (if round < 100 { 3 } else { 10_003 }, round, if round == 150 { 9000 } else { 1000 + u64::from(round % 5) })
        });
        let timeline = Timeline::new(&samples(cycles), "fresh-map");
        assert_eq!(timeline.processes, 2);
        assert_eq!(timeline.far_out(), 1);
        let step = timeline.steps.iter().find(|step| step.far_out > 0).unwrap();
        assert!((1.0..2.0).contains(&step.at) && step.farthest.unwrap() > 8.0, "{step:?}");
        assert!(timeline.by_process().iter().all(|level| (level - 1.0).abs() < 0.01));
        assert_eq!(timeline.by_process().len(), 2);
    }

    #[test]
    fn another_strategy_has_no_steps() {
        assert_eq!(Timeline::new(&samples([(0, 0, 1)].into_iter()), "other"), Timeline::default());
    }
}
