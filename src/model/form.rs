//! The two forms of a cost: absolute time, and time relative to the reference probe.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::diagnostics::Drift;
use super::grid::Grid;
use super::series::Series;
use super::{FitSettings, ModelError, Statistic};
use crate::experiment::{Point, Reference};
use crate::measure::Sample;
use crate::units::{Nanos, WASM_PAGE};

/// Which of its two forms a cost is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Nanoseconds as measured: what the fee is made of.
    Absolute,
    /// Nanoseconds on a machine whose probe takes [`nominal_probe`]: what runs are compared by, where it is the steadier.
    Normalised,
}

impl Form {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Absolute, Self::Normalised];
}

/// The nominal time of a point's reference probe: 30 µs for cache misses and system calls, 25 µs a page, and 10 µs more for each
/// 64 KiB of data, whose pages are copied.
///
/// These are round numbers near those of a virtual machine under Linux 6.18 in 2026; they are fixed so that normalised
/// figures of all machines and years have the same unit.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "data is far shorter than 2^53 bytes")]
pub fn nominal_probe(reference: &Reference, point: &Point) -> Nanos {
    let touched = point.level(reference.touches).saturating_mul(WASM_PAGE);
    let copied = point.level(reference.copies).min(touched);
    let pages = |bytes: u64| bytes as f64 / WASM_PAGE as f64;
    Nanos(30_000.0 + 25_000.0 * pages(touched) + 10_000.0 * pages(copied))
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
    /// Takes `value` of each cycle; it is given the position of the point in the grid.
    pub(crate) fn new(
        grid: &Grid<'_>,
        settings: &FitSettings,
        resamples: u32,
        value: impl Fn(usize, Sample<'_>) -> f64 + Sync,
    ) -> Result<Self, ModelError> {
        let series: Vec<Series> = grid
            .cycles
            .par_iter()
            .enumerate()
            .map(|(point, cycles)| {
                let valued = |&(sample, round): &(Sample<'_>, u32)| (value(point, sample), round);
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
        Self::new(grid, settings, resamples, |_, sample| grid.experiment.cost(sample.values))
    }

    /// Time relative to the probe right after the cycle, times [`nominal_probe`]; `None` where a probe is missing.
    ///
    /// The speed of a shared machine changes within milliseconds, and a cycle and the probe next to it see the same: from 2 to 256
    /// pages the quotient varies by 4 to 9 % from cycle to cycle, where either alone varies by 20 to 35 %. A median of probes over a
    /// process or a run leaves that variation in. The mean of such quotients is above the quotient of the means by the variance of a
    /// probe's own noise, some 1 to 2 %; it is so in every run, and runs are what this form compares.
    pub(crate) fn normalised(
        grid: &Grid<'_>,
        settings: &FitSettings,
        resamples: u32,
    ) -> Result<Option<Self>, ModelError> {
        let Some((probe, reference)) = grid.experiment.probe().zip(grid.experiment.reference.as_ref()) else {
            return Ok(None);
        };
        if grid.cycles.iter().flatten().any(|(sample, _)| sample.values[probe] == 0) {
            return Ok(None);
        }
        let nominal: Vec<f64> = grid.points.iter().map(|point| nominal_probe(reference, point).0).collect();
        let relative = |point: usize, sample: Sample<'_>| {
            grid.experiment.cost(sample.values) / as_ns(sample.values[probe]) * nominal[point]
        };
        Self::new(grid, settings, resamples, relative).map(Some)
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
