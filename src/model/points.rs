//! What was measured at each design point.

use serde::{Deserialize, Serialize};

use super::form::Costs;
use super::grid::Grid;
use super::series::Series;
use super::statistic::as_ns;
use super::{Estimate, ModelError, Statistic};
use crate::experiment::{Counter, Phase, Point};
use crate::units::Nanos;

/// Estimates of one design point. Times are in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointFit {
    /// The point.
    pub point: Point,
    /// Cycles measured.
    pub cycles: usize,
    /// Processes that measured it.
    pub processes: usize,
    /// The statistic of the memory-initialization cost on the reference machine; as measured without probes.
    pub cost: Estimate,
    /// The same as measured.
    pub measured: Estimate,
    /// The same relative to the reference probe after each cycle; `None` without probes.
    pub ratio: Option<Estimate>,
    /// Median time of the reference probe; `None` without probes.
    pub probe: Option<Nanos>,
    /// Medians of the phases, each by itself: they need not add up to the cost.
    pub phases: Vec<PhaseTime>,
    /// What was counted in its cycles, of an experiment that compares ways of doing the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterFit>,
    /// Mean, spread and range of the single cycles' costs as measured.
    pub spread: Spread,
    /// Cycles outside three interquartile ranges from the quartiles, which Tukey calls far out (*Exploratory Data
    /// Analysis*, 1977). They are counted, not dropped.
    pub outliers: usize,
    /// Cycles during which the kernel took the processor from the thread.
    pub preempted: usize,
}

/// The median time of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseTime {
    /// Name of the phase.
    pub phase: String,
    /// Its median.
    pub median: Nanos,
}

/// What a counter counted in the cycles of a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterFit {
    /// Name of the counter.
    pub counter: String,
    /// The median.
    pub median: u64,
    /// The least of all cycles.
    pub least: u64,
    /// The most.
    pub most: u64,
}

/// Mean ± σ and min … max of single cycles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Arithmetic mean.
    pub mean: Nanos,
    /// Standard deviation of single cycles; 0 for a single one.
    pub deviation: Nanos,
    /// The cheapest cycle.
    pub min: Nanos,
    /// The dearest cycle.
    pub max: Nanos,
}

impl PointFit {
    /// The median time of a phase; 0 if the experiment has none of this name.
    #[must_use]
    pub fn phase(&self, name: &str) -> Nanos {
        self.phases.iter().find(|found| found.phase == name).map_or(Nanos(0.0), |found| found.median)
    }

    /// How many times as long the probe took as on the reference machine; `None` without probes.
    #[must_use]
    pub fn probe_ratio(&self) -> Option<f64> {
        let on_reference = self.cost.value / self.ratio?.value;
        Some(self.probe?.0 / on_reference).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    }

    /// Of the point at this position: its costs as measured with the estimate of this one, and the estimate on the reference machine
    /// with what the probe takes there.
    pub(crate) fn new(
        position: usize,
        grid: &Grid<'_>,
        measured: (&Costs, Estimate),
        on_reference: Option<(Estimate, f64)>,
    ) -> Result<Self, ModelError> {
        let (costs, measured) = measured;
        let point = grid.points[position];
        let cycles = &grid.cycles[position];
        let median = |value: usize| {
            let times = cycles.iter().map(|(sample, _)| as_ns(sample.values[value])).collect();
            Statistic::Median.of(times).map(Nanos).ok_or(ModelError::Unmeasured { point: point.label() })
        };
        let phase =
            |(value, phase): (usize, &Phase)| Ok(PhaseTime { phase: phase.name.into(), median: median(value)? });
        let probe = grid.experiment.probe().filter(|_| on_reference.is_some());
        let series = &costs.series[position];
        Ok(Self {
            point: point.clone(),
            cycles: cycles.len(),
            processes: costs.by_process[position].iter().flatten().count(),
            cost: on_reference.map_or(measured, |(cost, _)| cost),
            measured,
            ratio: on_reference.map(|(cost, nanos)| cost.scaled(1.0 / nanos)),
            probe: probe.map(median).transpose()?,
            phases: grid.experiment.phases.iter().enumerate().map(phase).collect::<Result<_, ModelError>>()?,
            counters: if grid.experiment.compares.is_empty() { Vec::new() } else { counted(grid, position) },
            spread: Spread::of(series.values()),
            outliers: outliers(series),
            preempted: cycles.iter().filter(|(sample, _)| grid.experiment.was_preempted(sample.values)).count(),
        })
    }
}

impl Spread {
    /// Of values in ascending order.
    #[expect(clippy::cast_precision_loss, reason = "counts of cycles are far below 2^53")]
    pub(crate) fn of(sorted: &[f64]) -> Self {
        let n = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / n;
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        let end = |value: Option<&f64>| Nanos(value.copied().unwrap_or(mean));
        Self {
            mean: Nanos(mean),
            deviation: Nanos((squares / (n - 1.0).max(1.0)).sqrt()),
            min: end(sorted.first()),
            max: end(sorted.last()),
        }
    }
}

fn counted(grid: &Grid<'_>, position: usize) -> Vec<CounterFit> {
    let experiment = grid.experiment;
    let of = |(at, counter): (usize, &Counter)| {
        let mut found: Vec<u64> =
            grid.cycles[position].iter().map(|(sample, _)| sample.values[experiment.counter(at)]).collect();
        found.sort_unstable();
        let median = *found.get(found.len() / 2)?;
        Some(CounterFit { counter: counter.name.into(), median, least: *found.first()?, most: *found.last()? })
    };
    experiment.counters.iter().enumerate().filter_map(of).collect()
}

fn outliers(series: &Series) -> usize {
    let (low, high) = fences(series.values());
    series.values().iter().filter(|&&value| value < low || value > high).count()
}

/// Three interquartile ranges beyond the quartiles of values in ascending order, of which there must be one: what lies outside is
/// far out (Tukey, *Exploratory Data Analysis*, 1977).
pub(crate) fn fences(sorted: &[f64]) -> (f64, f64) {
    let (first, third) = (sorted[(sorted.len() - 1) / 4], sorted[(sorted.len() - 1) * 3 / 4]);
    let fence = 3.0 * (third - first);
    (first - fence, third + fence)
}
