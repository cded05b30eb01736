//! Points that do the same work, pooled: what the charge is made of.
//!
//! # Method
//!
//! A class are the points that differ in the control of their experiment alone: stacks, which cost nothing beyond their pages. The
//! figure of a class is its ratio to the reference probe: of each process the lower quartile of its cycles' costs over that of the probes,
//! and of these the mean of the logarithms over the processes without the outer quarters. A preemption, a neighbour or a cold cache makes a
//! cycle or a probe dearer, each by itself, and leaves a quarter of them alone. The probes of a size are one population, whichever class they
//! are beside, so that a class of few cycles has as many probes as one of many. What is paid for otherwise is taken off as the lower quartile
//! of a process: a preempted warm touch would make its own cycle the cheapest, and a median of two a cost below 0. docs/measurement.md has what other figures repeat to.
//!
//! Time as measured has the median in the place of the quartiles.
//!
//! Processes are resampled, as they differ as a whole; the rounds of a single one otherwise. All is in logarithms.

use std::collections::BTreeMap;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::grid::Grid;
use super::reference::size_of;
use super::series::{Series, Weights};
use super::statistic::{as_ns, least_quantile, quantile_of_sorted, unbiased_quantile};
use super::{FitSettings, ModelError, Statistic};
use crate::experiment::{Experiment, Point, Price};
use crate::measure::Sample;

/// The quantile of costs and of probes whose quotient is the ratio of a class.
const QUARTILE: f64 = 0.25;

/// Share of the processes that is left out at each end of a mean.
const TRIMMED: f64 = 0.25;

/// Points that do the same work.
pub(crate) struct Class<'a> {
    /// One of them.
    pub(crate) point: &'a Point,
    /// The indices of all.
    pub(crate) rows: Vec<usize>,
}

/// The classes of an experiment's points.
pub(crate) fn classes<'a>(experiment: &Experiment, points: &[&'a Point]) -> Vec<Class<'a>> {
    let shared = |point: &Point| experiment.control.map_or_else(|| point.clone(), |control| point.apart_from(control));
    let mut classes: BTreeMap<Point, Class<'a>> = BTreeMap::new();
    for (row, &point) in points.iter().enumerate() {
        classes.entry(shared(point)).or_insert_with(|| Class { point, rows: Vec::new() }).rows.push(row);
    }
    classes.into_values().collect()
}

/// The classes that do the same work, whatever they meet and however they write: no charge can tell them apart.
pub(crate) fn works(experiment: &Experiment, points: &[&Point]) -> Vec<Vec<usize>> {
    let mut works: BTreeMap<Point, Vec<usize>> = BTreeMap::new();
    for (at, point) in points.iter().enumerate() {
        works.entry(usual(experiment, point)).or_default().push(at);
    }
    works.into_values().collect()
}

/// Of each work the class that costs most.
pub(crate) fn dearest(works: &[Vec<usize>], costs: impl Fn(usize) -> f64) -> impl Iterator<Item = usize> {
    works.iter().filter_map(move |work| work.iter().copied().max_by(|&one, &other| costs(one).total_cmp(&costs(other))))
}

/// What a class has in common with that of the same call in the usual surroundings.
pub(crate) fn usual(experiment: &Experiment, point: &Point) -> Point {
    let usual = point.in_usual_surroundings();
    experiment.control.map_or_else(|| usual.clone(), |control| usual.apart_from(control))
}

/// What is pooled of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Its cost in nanoseconds.
    Time,
    /// Its cost over its probe, which is at this place among the values.
    Ratio(usize),
}

/// The logarithms of the classes' figures, and what they could as well have been.
pub(crate) struct Resampled {
    /// As measured.
    pub(crate) logs: Vec<f64>,
    /// For each resample those of all classes.
    pub(crate) replicates: Vec<Vec<f64>>,
    /// For each class the deviation of its logarithm that comes from what is pinned.
    pub(crate) pinned: Vec<f64>,
    /// Degrees of freedom.
    pub(crate) freedom: f64,
    /// What a standard deviation over the replicates is multiplied by for the standard error: resampling U units loses spread.
    pub(crate) correction: f64,
}

/// Fewest resamples: with a hundred the far quantile of the largest of many errors moves by a third.
const FEWEST: u32 = 500;

/// How often a resample is drawn again because it misses a class.
const ATTEMPTS: usize = 100;

impl Resampled {
    /// Figures of 0 or below have no logarithm and come out as NaN.
    #[expect(clippy::cast_precision_loss, reason = "counts of processes and rounds are far below 2^53")]
    pub(crate) fn new(
        grid: &Grid<'_>,
        classes: &[Class<'_>],
        of: Of,
        settings: &FitSettings,
        resamples: u32,
    ) -> Result<Self, ModelError> {
        let units = Units::of(grid);
        let figures: Vec<Figure> =
            classes.par_iter().map(|class| Figure::new(grid, class, of, &units, settings.statistic)).collect();
        let all = |weights: &Weights| figures.iter().map(|figure| figure.log(weights)).collect::<Vec<Option<f64>>>();
        let sparse = |at: usize| ModelError::Sparse { point: classes[at].point.label() };
        let known = |found: Vec<Option<f64>>| -> Result<Vec<f64>, usize> {
            found.into_iter().enumerate().map(|(at, log)| log.ok_or(at)).collect()
        };
        let logs = known(all(&units.weights(&vec![1; units.count]))).map_err(sparse)?;
        let replicates = (0..resamples.max(FEWEST)).into_par_iter().map(|resample| {
            // Each resample has a stream of its own, so that the number of threads changes nothing.
            let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
            random.set_stream((2 << 32) | u64::from(resample));
            let mut missing = 0;
            for _ in 0..ATTEMPTS {
                match known(all(&units.draw(&mut random))) {
                    Ok(logs) => return Ok(logs),
                    Err(at) => missing = at,
                }
            }
            Err(sparse(missing))
        });
        let count = units.count as f64;
        Ok(Self {
            pinned: vec![0.0; classes.len()],
            logs,
            replicates: replicates.collect::<Result<_, _>>()?,
            freedom: count - 1.0,
            correction: (count / (count - 1.0)).sqrt(),
        })
    }

    /// The standard deviation over the resamples of a number that follows from the logarithms, with the loss made up for.
    pub(crate) fn error(&self, numbers: impl Iterator<Item = f64> + Clone) -> f64 {
        deviation(numbers) * self.correction
    }

    /// The standard error of each logarithm.
    pub(crate) fn errors(&self) -> Vec<f64> {
        (0..self.logs.len()).map(|at| self.error(self.replicates.iter().map(|logs| logs[at]))).collect()
    }
}

/// The standard deviation of numbers.
fn deviation(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let (sum, count) = numbers.clone().fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    let mean = sum / count;
    let squares: f64 = numbers.map(|number| (number - mean).powi(2)).sum();
    (squares / (count - 1.0_f64).max(1.0)).sqrt()
}

/// What is resampled: processes, or the rounds of a single one.
struct Units {
    count: usize,
    /// For each round the unit that it belongs to.
    of_round: Vec<u32>,
}

impl Units {
    fn of(grid: &Grid<'_>) -> Self {
        if grid.processes.len() > 1 {
            return Self { count: grid.processes.len(), of_round: grid.process_of.clone() };
        }
        let rounds = grid.process_of.len();
        Self { count: rounds, of_round: (0..).take(rounds).collect() }
    }

    /// The values of the cycles of some rows, by unit.
    fn values(
        &self,
        grid: &Grid<'_>,
        rows: impl Iterator<Item = usize>,
        value: impl Fn(&Sample<'_>) -> f64,
    ) -> Vec<Vec<f64>> {
        let mut values = vec![Vec::new(); self.count];
        for (sample, round) in rows.flat_map(|row| &grid.cycles[row]) {
            values[self.of_round[*round as usize] as usize].push(value(sample));
        }
        values
    }

    fn weights(&self, units: &[u32]) -> Weights {
        let rounds = self.of_round.iter().map(|&unit| units[unit as usize]).collect();
        Weights { rounds, processes: Some(units.to_vec()) }
    }

    fn draw(&self, random: &mut ChaCha8Rng) -> Weights {
        let mut units = vec![0; self.count];
        for _ in 0..self.count {
            units[random.random_range(0..self.count)] += 1;
        }
        self.weights(&units)
    }
}

/// The figure of one class, ready to be weighted.
struct Figure {
    /// The logarithm of each unit in ascending order, with the unit.
    by_unit: Vec<(f64, u32)>,
    /// How far the statistic that is priced lies above the median, if it is another.
    tail: Option<Tail>,
}

struct Tail {
    above: Series,
    median: Series,
}

impl Figure {
    fn new(grid: &Grid<'_>, class: &Class<'_>, of: Of, units: &Units, statistic: Statistic) -> Self {
        let cost = |sample: &Sample<'_>| grid.experiment.cost(sample.values);
        let value = |sample: &Sample<'_>| match of {
            Of::Time => cost(sample),
            Of::Ratio(probe) => cost(sample) / as_ns(sample.values[probe]),
        };
        let own = || class.rows.iter().copied();
        let of_phases =
            |price| units.values(grid, own(), move |sample| grid.experiment.sum(sample.values, price)).into_iter();
        let costs = of_phases(Price::Added).zip(of_phases(Price::Subtracted)).map(|(spent, paid)| {
            let at = least_quantile(paid.len()).max(QUARTILE);
            Some((sorted(spent), unbiased_quantile(&sorted(paid), at)?))
        });
        let logs: Vec<Option<f64>> = match of {
            Of::Time => {
                let median = |(spent, paid): (Vec<f64>, f64)| Some((quantile_of_sorted(&spent, 0.5)? - paid).ln());
                costs.map(|costs| median(costs?)).collect()
            }
            Of::Ratio(probe) => {
                let size = |point| grid.experiment.reference.as_ref().map(|reference| size_of(reference, point));
                let alike = (0..grid.points.len()).filter(|&row| size(grid.points[row]) == size(class.point));
                let probes = units.values(grid, alike, |sample| as_ns(sample.values[probe]));
                let ratio = |(spent, paid): (Vec<f64>, f64), probes: Vec<f64>| {
                    let at = least_quantile(spent.len()).max(QUARTILE);
                    let cost = unbiased_quantile(&spent, at)? - paid;
                    Some((cost / unbiased_quantile(&sorted(probes), at)?).ln())
                };
                costs.zip(probes).map(|(costs, probes)| ratio(costs?, probes)).collect()
            }
        };
        let mut by_unit: Vec<(f64, u32)> =
            logs.into_iter().zip(0..).filter_map(|(log, unit)| Some((log?, unit))).collect();
        by_unit.sort_by(|one, other| one.0.total_cmp(&other.0));
        let series = |statistic: Statistic| {
            let cycles = own().flat_map(|row| &grid.cycles[row]);
            Series::new(
                cycles.map(|(sample, round)| (value(sample), *round)).collect(),
                &units.of_round,
                statistic.quantile(),
            )
        };
        let tail = (statistic != Statistic::Median)
            .then(|| Tail { above: series(statistic), median: series(Statistic::Median) });
        Self { by_unit, tail }
    }

    /// `None` if no cycle counts.
    fn log(&self, weights: &Weights) -> Option<f64> {
        let units = weights.processes.as_deref()?;
        // A mean that leaves the outer ones out would lose a process whose figure is no cost.
        if self.by_unit.iter().any(|(log, _)| !log.is_finite()) {
            return Some(f64::NAN);
        }
        let middle = trimmed(&self.by_unit, |unit| units[unit as usize])?;
        let tail = match &self.tail {
            None => 0.0,
            Some(Tail { above, median }) => (above.resampled(weights)? / median.resampled(weights)?).ln(),
        };
        Some(middle + tail)
    }
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The mean of values in ascending order, each as often as the weight of its unit says, without the outer ones.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
fn trimmed(values: &[(f64, u32)], weight: impl Fn(u32) -> u32) -> Option<f64> {
    let total: u32 = values.iter().map(|(_, unit)| weight(*unit)).sum();
    let cut = (f64::from(total) * TRIMMED) as u32;
    let (mut passed, mut sum) = (0, 0.0);
    for &(value, unit) in values {
        let (from, to) = (passed, passed + weight(unit));
        passed = to;
        let kept = to.min(total - cut).saturating_sub(from.max(cut));
        if kept > 0 {
            sum += value * f64::from(kept);
        }
    }
    (total > 0).then(|| sum / f64::from(total - 2 * cut))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MEMORY;
    use crate::experiment::memory::STACK_BYTES;
    use crate::units::Pages;

    #[test]
    fn stacks_are_pooled_and_nothing_else() {
        let point = |pages: u32, stack: u64| {
            Point::of_memory("touch-memory", &format!("{pages}-{stack}"), "fresh-map", Pages(pages))
                .with(&STACK_BYTES, stack)
        };
        let points = [point(1, 0), point(1, 16), point(2, 0)];
        let found = classes(&MEMORY, &points.iter().collect::<Vec<_>>());
        let mut rows: Vec<_> = found.iter().map(|class| class.rows.clone()).collect();
        rows.sort();
        assert_eq!(rows, [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_trimmed_mean_counts_units_as_often_as_their_weight_and_leaves_the_ends_out() {
        let values = [(-100.0, 0), (1.0, 1), (3.0, 2), (100.0, 3)];
        let trimmed = |weights: [u32; 4]| trimmed(&values, |unit| weights[unit as usize]);
        assert_eq!(trimmed([1; 4]), Some(2.0));
        assert_eq!(trimmed([0, 4, 0, 0]), Some(1.0));
        // −100, −100, 1, 3, 3, 3, 100, 100 without two at either end.
        assert_eq!(trimmed([2, 1, 3, 2]), Some(2.5));
        assert_eq!(trimmed([0; 4]), None);
    }
}
