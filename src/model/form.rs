//! The two forms of a cost: time as measured, and time on the reference machine.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bootstrap::{Bootstrap, Level};
use super::classes::{Of, Resampled, classes};
use super::diagnostics::Drift;
use super::grid::Grid;
use super::series::Series;
use super::statistic::as_ns;
use super::{FitSettings, ModelError, Statistic};
use crate::measure::Sample;

/// Which of its two forms a cost is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Nanoseconds as measured, which go with the machine and its hour.
    Measured,
    /// Nanoseconds on the reference machine: what the fee is made of and runs are compared by.
    Reference,
}

impl Form {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Measured, Self::Reference];
}

/// The values of each point's cycles, undisturbed; `value` is given the position of the point in the grid.
pub(crate) fn series(
    grid: &Grid<'_>,
    statistic: Statistic,
    value: impl Fn(usize, Sample<'_>) -> f64 + Sync,
) -> Vec<Series> {
    let of = |(point, cycles): (usize, &Vec<(Sample<'_>, u32)>)| {
        let valued = |&(sample, round): &(Sample<'_>, u32)| (value(point, sample), round);
        Series::new(cycles.iter().map(valued).collect(), &grid.process_of, statistic.quantile())
    };
    grid.cycles.par_iter().enumerate().map(of).collect()
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
        let series = series(grid, settings.statistic, value);
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
    pub(crate) fn measured(grid: &Grid<'_>, settings: &FitSettings, resamples: u32) -> Result<Self, ModelError> {
        Self::new(grid, settings, resamples, |_, sample| grid.experiment.cost(sample.values))
    }

    /// Time relative to the probe right after the cycle, times what that probe takes on the reference machine, one number a point.
    ///
    /// The speed of a shared machine changes within milliseconds, and a cycle and the probe next to it see the same: from 2 to 256
    /// pages the quotient varies by 4 to 9 % from cycle to cycle, where either alone varies by 20 to 35 %. A median of probes over a
    /// process or a run leaves that variation in. The median of such quotients is above the quotient of the medians by the variance of
    /// a probe's own noise, some 1 to 2 %, at one page 2 to 4 %; it is so in every run. What slows its own probe is held against all of them
    /// ([`by_class`]).
    pub(crate) fn on_reference(
        grid: &Grid<'_>,
        settings: &FitSettings,
        resamples: u32,
        probe: usize,
        nanos: &[f64],
    ) -> Result<Self, ModelError> {
        let relative = |point: usize, sample: Sample<'_>| {
            grid.experiment.cost(sample.values) / as_ns(sample.values[probe]) * nanos[point]
        };
        let costs = Self::new(grid, settings, resamples, relative)?;
        if grid.experiment.reference.as_ref().is_some_and(|probe| probe.slowed) {
            return Ok(Self { bootstrap: by_class(grid, settings, resamples, probe, nanos)?, ..costs });
        }
        Ok(costs)
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

/// The costs of points whose cycles slow the probes beside them: each the figure of its class.
///
/// What a load leaves in the shared cache slows the probe after it, the more the larger it is: the quotients of small modules and of large
/// ones, and of two sets of modules, are not of one kind. Those of a cost and all probes are.
fn by_class(
    grid: &Grid<'_>,
    settings: &FitSettings,
    resamples: u32,
    probe: usize,
    nanos: &[f64],
) -> Result<Bootstrap, ModelError> {
    let classes = classes(grid.experiment, &grid.points);
    let ratios = Resampled::new(grid, &classes, Of::Ratio(probe), settings, resamples)?;
    let of_points = |logs: &Vec<f64>| {
        let mut costs = vec![f64::NAN; nanos.len()];
        for (class, log) in classes.iter().zip(logs) {
            class.rows.iter().for_each(|&row| costs[row] = log.exp() * nanos[row]);
        }
        costs
    };
    let replicates = ratios.replicates.iter().map(of_points).collect();
    let level = Level::new(replicates, ratios.freedom, ratios.correction, settings.confidence);
    let (processes, rounds) = if grid.processes.len() > 1 { (Some(level), None) } else { (None, Some(level)) };
    Ok(Bootstrap { observed: of_points(&ratios.logs), processes, rounds })
}
