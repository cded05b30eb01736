//! Two sets of samples against each other: ratio, interval, p-value and verdict.
//!
//! # Method
//!
//! The overall ratio is the geometric mean, over the design points that both sides measured, of the ratios of their
//! statistics, so that each point counts alike whatever its cost. Each side is resampled by itself, over processes and over
//! rounds as in a fit. The standard errors of the two logarithms add up in squares; the interval takes the Student
//! quantile with the degrees of freedom of Welch (*The Generalization of 'Student's' Problem when Several Different
//! Population Variances are Involved*, 1947), and the p-value is that of the same t statistic. As in a fit, the wider
//! of the two levels stands.
//!
//! Where both sides have probes, costs relative to them are compared: time moves with the hour. Two runs differ by more than
//! either knows of itself, so that the variance of a class between runs is added twice, once for each side. Of what all classes of a run have
//! in common the mean over them has as much.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::classes::classes;
use super::counted::{CounterComparison, counted};
use super::difference::{Known, Level, Ratio, differences};
use super::form::{Costs, Form};
use super::grid::{Grid, strategies};
use super::points::Spread;
use super::student::t_quantile;
use super::{Estimate, FitSettings, ModelError, Statistic, Steadiness};
use crate::experiment::Point;
use crate::measure::Samples;

/// Name of the test that gives p-values, for reports.
pub const TEST: &str = "Welch t test on the logarithm of the ratio, bootstrap standard errors";

/// Two sides compared at one design point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointComparison {
    /// The point, as A has it.
    pub point: Point,
    /// The ratio in the form of the whole comparison.
    pub ratio: Ratio,
    /// Single cycles of A, in nanoseconds as measured.
    pub a: Spread,
    /// Single cycles of B.
    pub b: Spread,
    /// The statistic of A, in nanoseconds as measured. Its interval is that of the form that is compared, within its run.
    pub cost_a: Estimate,
    /// The same of B, as long as it would take at the hour of A: `cost_b` over `cost_a` is the ratio.
    pub cost_b: Estimate,
    /// Cycles of A.
    pub cycles_a: usize,
    /// Cycles of B.
    pub cycles_b: usize,
    /// What was counted in them, but for what the machine did.
    pub counters: Vec<CounterComparison>,
}

/// Two sets of samples compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The form that was compared: relative to the probe unless a side lacks it.
    pub form: Form,
    /// The statistic of the cycles of a point that was compared.
    pub statistic: Statistic,
    /// The spreads between processes: root mean square of the two sides.
    pub steadiness: Steadiness,
    /// The practical threshold: 0.02 for 2 %.
    pub threshold: f64,
    /// The overall ratio.
    pub overall: Ratio,
    /// Each point that both sides have.
    pub points: Vec<PointComparison>,
    /// Labels of points that only A has.
    pub only_a: Vec<String>,
    /// Labels of points that only B has.
    pub only_b: Vec<String>,
    /// A change that would be detected in 95 % of comparisons of this size: 0.03 for 3 %.
    pub detectable: f64,
}

/// What two sides are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// Two runs.
    TwoRuns,
    /// Parts of one, which have in common what moves between runs.
    OneRun,
}

/// Compares B with A. With a single strategy on each side, points match whatever their strategy.
///
/// # Errors
/// [`ModelError`] if a side allows no statistics, or the sides share no point.
pub fn compare(
    a: &Samples,
    b: &Samples,
    sides: Sides,
    settings: &FitSettings,
    threshold: f64,
) -> Result<Comparison, ModelError> {
    settings.check()?;
    let across = strategies(a)?.len() == 1 && strategies(b)?.len() == 1;
    let keys = |samples: &Samples| -> BTreeMap<Point, usize> {
        let key = |point: &Point| {
            if across { Point { strategy: String::new(), ..point.clone() } } else { point.clone() }
        };
        samples.points.iter().enumerate().map(|(index, point)| (key(point), index)).collect()
    };
    let (in_a, in_b) = (keys(a), keys(b));
    let (chosen_a, chosen_b): (Vec<_>, Vec<_>) =
        in_a.iter().filter_map(|(key, &index)| Some((index, *in_b.get(key)?))).unzip();
    if chosen_a.is_empty() {
        return Err(ModelError::NothingInCommon);
    }
    let only = |side: &BTreeMap<Point, usize>, other: &BTreeMap<Point, usize>, samples: &Samples| {
        let alone = side.iter().filter(|(key, _)| !other.contains_key(key));
        alone.map(|(_, &index)| samples.points[index].label()).collect()
    };
    let (grid_a, grid_b) = (Grid::new(a, &chosen_a)?, Grid::new(b, &chosen_b)?);
    let (side_a, side_b) = (Side::new(&grid_a, settings)?, Side::new(&grid_b, settings)?);
    let steadiness = side_a.steadiness().with(side_b.steadiness());
    let both = side_a.relative.is_some() && side_b.relative.is_some();
    let form = if both { Form::Reference } else { Form::Measured };
    let (levels_a, levels_b) = (side_a.levels(form, sides)?, side_b.levels(form, sides)?);
    let ratio = |at: usize| Ratio::of(&levels_a[at], &levels_b[at], settings.confidence, threshold);
    let overall = chosen_a.len();
    let counters = counted(&grid_a, &grid_b, settings, threshold)?;
    let points = grid_a.points.iter().zip(counters).enumerate().map(|(at, (&point, counters))| {
        // At the hour of A, so that what is shown of both has the ratio that is compared.
        let hour = side_a.measured.bootstrap.observed[at] / levels_a[at].value.exp();
        let cost = |level: &Level| level.alone(settings.confidence).exp().scaled(hour);
        PointComparison {
            point: point.clone(),
            ratio: ratio(at),
            a: Spread::of(side_a.measured.series[at].values()),
            b: Spread::of(side_b.measured.series[at].values()),
            cost_a: cost(&levels_a[at]),
            cost_b: cost(&levels_b[at]),
            cycles_a: grid_a.cycles[at].len(),
            cycles_b: grid_b.cycles[at].len(),
            counters,
        }
    });
    Ok(Comparison {
        form,
        statistic: settings.statistic,
        steadiness,
        threshold,
        overall: ratio(overall),
        points: points.collect(),
        only_a: only(&in_a, &in_b, a),
        only_b: only(&in_b, &in_a, b),
        detectable: detectable(&levels_a[overall], &levels_b[overall], settings.confidence, threshold),
    })
}

/// The samples of one strategy, to compare two strategies of a run. Processes are shared then, and what is common to both
/// cancels in truth but not in the interval, which is therefore wider than it had to be.
#[must_use]
pub fn of_strategy(samples: &Samples, strategy: &str) -> Samples {
    samples.only(|point| point.strategy == strategy)
}

/// One side in both forms.
struct Side<'a> {
    grid: &'a Grid<'a>,
    statistic: Statistic,
    measured: Costs,
    relative: Option<Costs>,
}

impl<'a> Side<'a> {
    fn new(grid: &'a Grid<'a>, settings: &FitSettings) -> Result<Self, ModelError> {
        let resamples = settings.resamples_for(grid.cycles.iter().map(Vec::len).sum());
        Ok(Self {
            grid,
            statistic: settings.statistic,
            measured: Costs::measured(grid, settings, resamples)?,
            // A reference is the same for both sides and cancels.
            relative: match grid.probe() {
                Some(probe) => {
                    let nanos = vec![1.0; grid.points.len()];
                    Some(Costs::on_reference(grid, settings, resamples, probe, &nanos)?)
                }
                None => None,
            },
        })
    }

    fn steadiness(&self) -> Steadiness {
        let relative = self.relative.as_ref().and_then(Costs::spread);
        Steadiness { measured: self.measured.spread(), relative }
    }

    /// The logarithm of each point's cost, and last their mean.
    fn levels(&self, form: Form, sides: Sides) -> Result<Vec<Level>, ModelError> {
        let costs = match (form, &self.relative) {
            (Form::Reference, Some(relative)) => relative,
            _ => &self.measured,
        };
        let between_runs = self.between_runs(sides);
        let bootstrap = &costs.bootstrap;
        if let Some(at) = bootstrap.observed.iter().position(|&cost| cost <= 0.0) {
            let point = self.grid.points[at].label();
            return Err(ModelError::NonPositiveCost { point, statistic: self.statistic });
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of design points")]
        let logs = |costs: &[f64]| {
            let mut logs: Vec<f64> = costs.iter().map(|cost| cost.ln()).collect();
            logs.push(logs.iter().sum::<f64>() / logs.len() as f64);
            logs
        };
        let mut levels: Vec<_> =
            logs(&bootstrap.observed).into_iter().map(|value| Level { value, errors: Vec::new() }).collect();
        for resampled in bootstrap.levels() {
            let moments = resampled.moments(&logs);
            if let Some(at) = moments.iter().position(|(_, error)| !error.is_finite()) {
                return Err(match self.grid.points.get(at) {
                    Some(point) => ModelError::UnsureCost { point: point.label(), statistic: self.statistic },
                    None => ModelError::NotFinite { what: "mean of the points" },
                });
            }
            for ((level, (_, error)), runs) in levels.iter_mut().zip(moments).zip(&between_runs) {
                level.errors.push(Known { error, freedom: resampled.freedom, between_runs: *runs });
            }
        }
        Ok(levels)
    }

    /// The deviation between runs of each point's logarithm, and last of their mean: points of one class move together, and classes
    /// apart but for what they have in common.
    #[expect(clippy::cast_precision_loss, reason = "a count of design points")]
    fn between_runs(&self, sides: Sides) -> Vec<f64> {
        let points = &self.grid.points;
        if sides == Sides::OneRun {
            return vec![0.0; points.len() + 1];
        }
        let between = &self.grid.experiment.between_runs;
        let squares = classes(self.grid.experiment, points).into_iter().map(|class| {
            let share = class.rows.len() as f64 / points.len() as f64;
            (share * (between.class)(class.point)).powi(2)
        });
        let mean = squares.sum::<f64>().sqrt().hypot(between.common);
        points.iter().map(|point| between.of(point)).chain([mean]).collect()
    }
}

/// The relative change that is called a change with a probability of 95 %: the estimate must clear the threshold, and its
/// interval must clear 1.
fn detectable(a: &Level, b: &Level, confidence: f64, threshold: f64) -> f64 {
    const POWER: f64 = 0.95;
    let needed = differences(a, b).into_iter().map(|(error, freedom)| {
        let luck = error * t_quantile(2.0 * POWER - 1.0, freedom);
        luck + (error * t_quantile(confidence, freedom)).max((1.0 + threshold).ln())
    });
    needed.fold(0.0, f64::max).exp_m1()
}

impl Steadiness {
    /// The spreads of two sides together.
    fn with(self, other: Self) -> Self {
        let together = |one: Option<f64>, other: Option<f64>| Some(f64::midpoint(one?.powi(2), other?.powi(2)).sqrt());
        Self { measured: together(self.measured, other.measured), relative: together(self.relative, other.relative) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MEMORY;
    use crate::measure::Place;
    use crate::units::Pages;

    #[test]
    fn a_point_that_is_too_noisy_to_compare_is_named() {
        let point = |name: &str| Point::of_memory(name, "v", "fresh-map", Pages(1));
        let mut samples = Samples::of(&MEMORY, vec![point("steady"), point("noisy")]);
        for (process, point) in (0..4).flat_map(|process| (0..2).map(move |point| (process, point))) {
            let (touch, warm) = if (process, point) == (3, 1) { (0, 9000) } else { (1000, 0) };
            let place = Place { process, round: 0, order: point, point };
            samples.push(place, &[0, touch, warm, 0, 55_000, 16, 0]);
        }
        let settings = FitSettings { resamples: Some(200), ..FitSettings::default() };
        let error = compare(&samples, &samples, Sides::TwoRuns, &settings, 0.02).unwrap_err();
        assert!(matches!(&error, ModelError::UnsureCost { point, .. } if point.contains("noisy")), "{error}");
    }
}
