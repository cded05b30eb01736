//! Resampling of processes and of rounds: what the points' statistics could as well have been.
//!
//! # From resamples to an interval
//!
//! Processes differ (address layout, neighbours, the machine's mood), and rounds differ within a process, so a run is a
//! sample of both. They are resampled apart: whole processes with their rounds, which shows all variation that a process
//! has as a unit (Davison and Hinkley, *Bootstrap Methods and their Application*, 1997, section 3.8: of the ways to
//! resample nested data this one has the right variance), then rounds within each process. Resampling both at once would
//! count the variation between rounds twice.
//!
//! A run has few processes, and the percentile interval of a bootstrap over 4 to 8 units covers far less than it says
//! (Cameron, Gelbach and Miller, *Bootstrap-Based Improvements for Inference with Clustered Errors*, 2008). The interval
//! is therefore the value ± a standard error times a Student quantile. Over processes, the error is widened by `√(P/(P − 1))`
//! for the spread that resampling P units loses, and `df = P − 1`. Over rounds the same with `R/(R − 1)` and
//! `df = Σ(R − 1)`. The wider of the two stands: with a real difference between processes that is the first; where few
//! processes happen to agree better than their rounds permit, the second.
//!
//! A machine whose speed drifts along the run makes processes differ without making the run's average uncertain, for the
//! run's whole time was sampled. From 4 processes on, the linear drift common to all points is taken out before
//! processes are resampled, centred on the run, at the price of a further degree of freedom: `df = P − 2`. It changes
//! intervals only, no value.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::diagnostics::Drift;
use super::grid::Grid;
use super::series::{Series, Weights};
use super::student::t_quantile;
use super::{Estimate, FitSettings, ModelError};

/// Fewest processes of which the linear drift is taken out.
pub(crate) const FEWEST_TO_DETREND: usize = 4;

/// The points' statistics with their resamples.
pub(crate) struct Bootstrap {
    /// The statistic of each point, as measured.
    pub(crate) observed: Vec<f64>,
    /// Resamples over processes; none with a single process.
    pub(crate) processes: Option<Level>,
    /// Resamples over rounds; none if no process has two rounds.
    pub(crate) rounds: Option<Level>,
}

/// Resamples of one level.
pub(crate) struct Level {
    /// For each resample the statistic of each point.
    replicates: Vec<Vec<f64>>,
    /// Degrees of freedom.
    pub(crate) freedom: f64,
    /// What a standard deviation over the replicates is multiplied by for the standard error.
    correction: f64,
    /// Student quantile of an interval.
    quantile: f64,
}

impl Bootstrap {
    #[expect(clippy::cast_precision_loss, reason = "counts of processes and rounds are far below 2^53")]
    pub(crate) fn new(
        grid: &Grid<'_>,
        series: &[Series],
        drift: Option<&Drift>,
        settings: &FitSettings,
        resamples: u32,
    ) -> Result<Self, ModelError> {
        let count = grid.processes.len();
        let statistics = |series: &[Series]| -> Vec<f64> {
            series.iter().map(|series| settings.statistic.of_sorted(series.values()).unwrap_or(f64::NAN)).collect()
        };
        let observed = statistics(series);
        let drift = drift.filter(|_| count >= FEWEST_TO_DETREND);
        let level = |stream, freedom: f64, units: f64, series: &[Series], draw: &Draw| {
            // Without its drift a series has a slightly other statistic; the resamples vary about the one observed. By a factor, as the
            // drift is one: a difference could make a cost negative.
            let shift =
                |(raw, steady): (&f64, f64)| Some(raw / steady).filter(|shift| shift.is_finite() && *shift > 0.0);
            let shift: Vec<f64> =
                observed.iter().zip(statistics(series)).map(|pair| shift(pair).unwrap_or(1.0)).collect();
            let mut replicates = replicates(grid, series, settings, stream, resamples, draw)?;
            for (value, shift) in replicates.iter_mut().flat_map(|values| values.iter_mut().zip(&shift)) {
                *value *= shift;
            }
            Ok(Level::new(replicates, freedom, units.sqrt(), settings.confidence))
        };

        let processes = if count > 1 {
            let (freedom, steady): (usize, Option<Vec<Series>>) = match drift {
                Some(drift) => (
                    count - 2,
                    Some(series.par_iter().map(|series| drift.removed(series, grid, settings.statistic)).collect()),
                ),
                None => (count - 1, None),
            };
            let series = steady.as_deref().unwrap_or(series);
            // The drift is that of all points together and hardly takes anything from what is a point's own, so that only the mean
            // counts here. With two taken off, simulated intervals of 8 processes hold the truth in 98 % of runs.
            Some(level(0, freedom as f64, count as f64 / (count as f64 - 1.0), series, &draw_processes)?)
        } else {
            None
        };
        let rounds = grid.process_of.len();
        let rounds = if rounds > count {
            let freedom = (rounds - count) as f64;
            Some(level(1, freedom, rounds as f64 / freedom, series, &draw_rounds)?)
        } else {
            None
        };
        Ok(Self { observed, processes, rounds })
    }

    /// The levels that can be resampled, at least one.
    pub(crate) fn levels(&self) -> impl Iterator<Item = &Level> {
        self.processes.iter().chain(&self.rounds)
    }

    /// Estimates of what `quantities` computes from the points' statistics, each with its interval.
    ///
    /// # Errors
    /// [`ModelError::NotFinite`] if a resample makes a quantity infinite or no number.
    pub(crate) fn estimates(
        &self,
        what: &'static str,
        quantities: impl Fn(&[f64]) -> Vec<f64> + Sync,
    ) -> Result<Vec<Estimate>, ModelError> {
        let values = quantities(&self.observed);
        let mut half_widths = vec![0.0_f64; values.len()];
        for level in self.levels() {
            for (half_width, (_, error)) in half_widths.iter_mut().zip(level.moments(&quantities)) {
                let here = error * level.quantile;
                *half_width = if here.is_nan() { here } else { half_width.max(here) };
            }
        }
        let estimates: Vec<_> =
            values.into_iter().zip(half_widths).map(|(value, half)| Estimate::around(value, half)).collect();
        if estimates.iter().all(Estimate::is_finite) { Ok(estimates) } else { Err(ModelError::NotFinite { what }) }
    }

    /// As [`Self::estimates`] for one quantity.
    pub(crate) fn estimate(
        &self,
        what: &'static str,
        quantity: impl Fn(&[f64]) -> f64 + Sync,
    ) -> Result<Estimate, ModelError> {
        Ok(self.estimates(what, |statistics| vec![quantity(statistics)])?[0])
    }
}

impl Level {
    /// Of the statistic of each point in each resample.
    pub(crate) fn new(replicates: Vec<Vec<f64>>, freedom: f64, correction: f64, confidence: f64) -> Self {
        Self { replicates, freedom, correction, quantile: t_quantile(confidence, freedom) }
    }

    /// Mean over the replicates and standard error of each quantity.
    #[expect(clippy::cast_precision_loss, reason = "there are at most 100000 resamples")]
    pub(crate) fn moments(&self, quantities: &(impl Fn(&[f64]) -> Vec<f64> + Sync)) -> Vec<(f64, f64)> {
        let replicates: Vec<Vec<f64>> = self.replicates.par_iter().map(|statistics| quantities(statistics)).collect();
        let n = replicates.len() as f64;
        (0..replicates.first().map_or(0, Vec::len))
            .map(|index| {
                let mean = replicates.iter().map(|values| values[index]).sum::<f64>() / n;
                let squares: f64 = replicates.iter().map(|values| (values[index] - mean).powi(2)).sum();
                (mean, (squares / (n - 1.0)).sqrt() * self.correction)
            })
            .collect()
    }
}

/// Draws the weights of a resample.
type Draw = dyn Fn(&Grid<'_>, &mut ChaCha8Rng) -> Weights + Sync;

fn draw_processes(grid: &Grid<'_>, random: &mut ChaCha8Rng) -> Weights {
    let mut processes = vec![0; grid.processes.len()];
    for _ in 0..processes.len() {
        processes[random.random_range(0..grid.processes.len())] += 1;
    }
    let rounds = grid.process_of.iter().map(|&process| processes[process as usize]).collect();
    Weights { rounds, processes: Some(processes) }
}

fn draw_rounds(grid: &Grid<'_>, random: &mut ChaCha8Rng) -> Weights {
    let mut weights = vec![0; grid.process_of.len()];
    for rounds in &grid.processes {
        for _ in 0..rounds.len() {
            weights[rounds[random.random_range(0..rounds.len())] as usize] += 1;
        }
    }
    Weights { rounds: weights, processes: None }
}

/// How often a resample is drawn again because it misses a point.
const ATTEMPTS: usize = 100;

/// Each resample has a random stream of its own, so that the number of threads changes nothing.
fn replicates(
    grid: &Grid<'_>,
    series: &[Series],
    settings: &FitSettings,
    level: u64,
    resamples: u32,
    draw: &Draw,
) -> Result<Vec<Vec<f64>>, ModelError> {
    (0..resamples)
        .into_par_iter()
        .map(|resample| {
            let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
            random.set_stream((level << 32) | u64::from(resample));
            let mut missing = 0;
            for _ in 0..ATTEMPTS {
                let weights = draw(grid, &mut random);
                let statistics: Vec<_> = series.iter().map_while(|series| series.resampled(&weights)).collect();
                if statistics.len() == series.len() {
                    return Ok(statistics);
                }
                missing = statistics.len();
            }
            Err(ModelError::Sparse { point: grid.points[missing].label() })
        })
        .collect()
}
