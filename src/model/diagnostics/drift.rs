//! Drift of the machine along the run.

use serde::{Deserialize, Serialize};

use crate::model::grid::Grid;
use crate::model::series::Series;
use crate::model::student::{t_p_value, t_quantile};
use crate::model::{Estimate, Statistic};

/// Linear drift of all points' costs along the run, from process to process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drift {
    /// Relative change from the first process to the last: 0.1 is 10 % dearer at the end.
    pub over_run: Estimate,
    /// p-value of the t test that there is no drift.
    pub p_value: f64,
    /// Change of the cost's logarithm from one process to the next.
    #[serde(skip)]
    pub(crate) step: f64,
    /// The middle of the run, counted in processes.
    #[serde(skip)]
    pub(crate) middle: f64,
}

impl Drift {
    /// Regresses the common level of each process on its place in the run. `None` below 3 processes.
    ///
    /// The level is the median over the points of `ln(median in the process / median over the processes)`, so that
    /// neither a few odd points nor outliers decide it.
    #[expect(clippy::cast_precision_loss, reason = "a process index is far below 2^53")]
    pub(crate) fn over(by_process: &[Vec<Option<f64>>], confidence: f64) -> Option<Self> {
        let processes = by_process.first()?.len();
        let mut logs = vec![Vec::new(); processes];
        for values in by_process {
            let mut known: Vec<f64> = values.iter().copied().flatten().collect();
            known.sort_unstable_by(f64::total_cmp);
            let middle = median(&known)?;
            for (logs, value) in logs.iter_mut().zip(values) {
                logs.extend(value.map(|value| (value / middle).ln()).filter(|log| log.is_finite()));
            }
        }
        let levels: Vec<(f64, f64)> = logs
            .iter_mut()
            .enumerate()
            .filter_map(|(process, logs)| {
                logs.sort_unstable_by(f64::total_cmp);
                median(logs).map(|level| (process as f64, level))
            })
            .collect();
        if levels.len() < 3 {
            return None;
        }
        let n = levels.len() as f64;
        let middle = levels.iter().map(|(x, _)| x).sum::<f64>() / n;
        let mean = levels.iter().map(|(_, y)| y).sum::<f64>() / n;
        let xx: f64 = levels.iter().map(|(x, _)| (x - middle).powi(2)).sum();
        let step = levels.iter().map(|(x, y)| (x - middle) * (y - mean)).sum::<f64>() / xx;
        let residual: f64 = levels.iter().map(|(x, y)| (y - mean - step * (x - middle)).powi(2)).sum();
        let error = (residual / (n - 2.0) / xx).sqrt();
        let p_value = match (step == 0.0, error == 0.0) {
            (true, _) => 1.0,
            (false, true) => 0.0,
            (false, false) => t_p_value(step / error, n - 2.0),
        };
        let span = processes as f64 - 1.0;
        let logs = Estimate::around(step * span, error * span * t_quantile(confidence, n - 2.0));
        let grown = logs.exp();
        let over_run = Estimate { value: grown.value - 1.0, low: grown.low - 1.0, high: grown.high - 1.0 };
        over_run.is_finite().then_some(Self { over_run, p_value, step, middle })
    }

    /// The series without the drift, as it would have been at the middle of the run.
    pub(crate) fn removed(&self, series: &Series, grid: &Grid<'_>, statistic: Statistic) -> Series {
        let level = |process: u32| (self.step * (f64::from(process) - self.middle)).exp();
        let levels: Vec<f64> = (0..).take(grid.processes.len()).map(level).collect();
        let steady = |(value, round)| (value / levels[grid.process_of[round as usize] as usize], round);
        Series::new(series.cycles().map(steady).collect(), &grid.process_of, statistic.quantile())
    }
}

fn median(sorted: &[f64]) -> Option<f64> {
    Statistic::Median.of_sorted(sorted)
}
