//! The two forms of a cost: absolute time, and time relative to the reference probe.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::diagnostics::Drift;
use super::grid::Grid;
use super::series::Series;
use super::{FitSettings, ModelError, Statistic};
use crate::measure::Sample;
use crate::units::{Nanos, Pages};

/// Which of its two forms a cost is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Nanoseconds as measured: what the fee is made of.
    Absolute,
    /// Nanoseconds on a machine whose probe takes [`nominal_probe`]: what runs are compared by, where it is the steadier.
    Normalised,
}

/// The nominal time of the reference probe over `pages`: 10 µs for the two system calls and 25 µs a page.
///
/// These are round numbers near those of a virtual machine under Linux 6.18 in 2026; they are fixed so that normalised
/// figures of all machines and years have the same unit.
#[must_use]
pub fn nominal_probe(pages: Pages) -> Nanos {
    Nanos(10_000.0 + 25_000.0 * f64::from(pages.0))
}

/// One form of the costs of a strategy's points.
pub(crate) struct Costs {
    /// The points' values, undisturbed.
    pub(crate) series: Vec<Series>,
    /// For each point the statistic within each process.
    pub(crate) by_process: Vec<Vec<Option<f64>>>,
    /// Drift over the run.
    pub(crate) drift: Option<Drift>,
    /// The points' statistics and their resamples.
    pub(crate) bootstrap: Bootstrap,
}

impl Costs {
    /// Takes `value` of each cycle; it is given the point's position and the index of the process.
    pub(crate) fn new(
        grid: &Grid<'_>,
        settings: &FitSettings,
        resamples: u32,
        value: impl Fn(usize, u32, &Sample) -> f64 + Sync,
    ) -> Result<Self, ModelError> {
        let series: Vec<Series> = grid
            .cycles
            .par_iter()
            .enumerate()
            .map(|(point, cycles)| {
                let valued =
                    |&(sample, round): &(&Sample, u32)| (value(point, grid.process_of[round as usize], sample), round);
                Series::new(cycles.iter().map(valued).collect(), &grid.process_of, settings.statistic)
            })
            .collect();
        let by_process = |statistic| -> Vec<Vec<Option<f64>>> {
            series
                .par_iter()
                .map(|series| series.by_process(statistic, &grid.process_of, grid.processes.len()))
                .collect()
        };
        let medians = by_process(Statistic::Median);
        let drift = Drift::over(&medians, settings.confidence);
        let bootstrap = Bootstrap::new(grid, &series, drift.as_ref(), settings, resamples)?;
        let by_process = if settings.statistic == Statistic::Median { medians } else { by_process(settings.statistic) };
        Ok(Self { series, by_process, drift, bootstrap })
    }

    /// Time as measured.
    pub(crate) fn absolute(grid: &Grid<'_>, settings: &FitSettings, resamples: u32) -> Result<Self, ModelError> {
        Self::new(grid, settings, resamples, |_, _, sample| sample.cost_ns())
    }

    /// Time relative to the probe, times [`nominal_probe`]; `None` where a probe is missing.
    ///
    /// Each cost is divided by the median probe of its size *within its process*, not by the one probe beside it. A single
    /// probe is about as noisy as a single cycle, while the machine's speed hardly moves within a process of some
    /// seconds. Dividing by it would add its noise to every cycle, would bias the mean upwards (the mean of 1/probe is
    /// above 1/mean by the square of its relative noise), and would turn a disturbed probe into a cheap cycle.
    pub(crate) fn normalised(
        grid: &Grid<'_>,
        settings: &FitSettings,
        resamples: u32,
    ) -> Result<Option<Self>, ModelError> {
        let mut probes: BTreeMap<(Pages, u32), Vec<f64>> = BTreeMap::new();
        for (point, cycles) in grid.points.iter().zip(&grid.cycles) {
            let mut by_process = vec![Vec::new(); grid.processes.len()];
            for &(sample, round) in cycles {
                by_process[grid.process_of[round as usize] as usize].push(as_ns(sample.probe_ns));
            }
            for (process, values) in (0..).zip(by_process) {
                probes.entry((point.touched_pages, process)).or_default().extend(values);
            }
        }
        let medians: BTreeMap<_, _> = probes
            .into_par_iter()
            .filter_map(|(key, mut values)| {
                values.sort_unstable_by(f64::total_cmp);
                Statistic::Median.of_sorted(&values).map(|median| (key, median))
            })
            .collect();
        if medians.values().any(|&median| median <= 0.0) {
            return Ok(None);
        }
        let factors: Vec<Vec<f64>> = (grid.points.iter())
            .map(|point| {
                let nominal = nominal_probe(point.touched_pages).0;
                let factor = |process| medians.get(&(point.touched_pages, process)).map_or(f64::NAN, |m| nominal / m);
                (0..).take(grid.processes.len()).map(factor).collect()
            })
            .collect();
        Self::new(grid, settings, resamples, |point, process, sample| {
            sample.cost_ns() * factors[point][process as usize]
        })
        .map(Some)
    }

    /// How far processes lie apart: the standard deviation of a point's statistic between processes relative to its mean,
    /// as root mean square over the points. `None` with a single process.
    #[expect(clippy::cast_precision_loss, reason = "counts of processes and points are small")]
    pub(crate) fn spread(&self) -> Option<f64> {
        let squares: Vec<f64> = self
            .by_process
            .iter()
            .filter_map(|values| {
                let values: Vec<f64> = values.iter().copied().flatten().collect();
                let n = values.len() as f64;
                let mean = values.iter().sum::<f64>() / n;
                let squares: f64 = values.iter().map(|value| (value / mean - 1.0).powi(2)).sum();
                (values.len() > 1).then_some(squares / (n - 1.0))
            })
            .collect();
        (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt())
    }
}

/// A measured time as a real number.
#[expect(clippy::cast_precision_loss, reason = "a cycle is far shorter than 2^53 ns, which is 104 days")]
pub(crate) fn as_ns(nanoseconds: u64) -> f64 {
    nanoseconds as f64
}
