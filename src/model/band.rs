//! How well the classes of a run are known, one by one and all at once.

use serde::{Deserialize, Serialize};

use super::classes::{Class, Resampled};
use super::student::t_quantile;
use super::{ClassFit, Estimate, FitSettings};
use crate::experiment::memory::TOUCHED_PAGES;
use crate::experiment::{Experiment, Point};

/// The half-width of an interval for a number whose own error is known by so many degrees of freedom, and that moves between runs
/// by a deviation that is taken as known (Welch and Satterthwaite).
pub(crate) fn reach(error: f64, freedom: f64, between_runs: f64, confidence: f64) -> f64 {
    const KNOWN: f64 = 1e6;
    let variance = error.powi(2) + between_runs.powi(2);
    let effective = variance.powi(2) / error.powi(4) * freedom;
    let effective = if effective.is_finite() { effective.clamp(freedom, KNOWN) } else { KNOWN };
    variance.sqrt() * t_quantile(confidence, effective)
}

/// Whether a run may be signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// The widest half-width of the classes' simultaneous band, relative to the ratio: with the confidence of the settings no
    /// class is off by more than its own.
    pub widest: f64,
    /// From which half-width on a run is too noisy to sign.
    pub limit: f64,
    /// The classes that decide it, the widest first, each with its half-width.
    pub deciding: Vec<(String, f64)>,
}

/// The classes with their intervals and with the band over all of them.
pub(crate) struct Known {
    pub(crate) band: Band,
    /// For each class its interval as a half-width of the logarithm.
    pub(crate) half_widths: Vec<f64>,
}

impl Known {
    /// The band takes the quantile of the largest error over all classes in a resample.
    pub(crate) fn new(
        experiment: &Experiment,
        classes: &[Class<'_>],
        resampled: &Resampled,
        settings: &FitSettings,
    ) -> Self {
        let errors = resampled.errors();
        // What was estimated together has an error in common, which says nothing about the others.
        let size = |at: usize| {
            let point = classes[at].point;
            (group(experiment, point, resampled.logs[at]), point.is_undisturbed())
        };
        let (moderated, freedom): (Vec<f64>, Vec<f64>) = (0..classes.len())
            .map(|at| {
                let alike = (0..classes.len()).filter(|&other| size(other) == size(at)).map(|other| errors[other]);
                let alike: Vec<f64> = alike.collect();
                // One alone borrows nothing from others.
                let freedom = if alike.len() > 1 { 2.0 * resampled.freedom } else { resampled.freedom };
                (moderate(errors[at], &alike, resampled.freedom), freedom)
            })
            .unzip();
        let largest = |logs: &Vec<f64>| {
            let off = logs.iter().zip(&resampled.logs).zip(&moderated);
            let off = off.map(|((log, observed), error)| (log - observed).abs() * resampled.correction / error);
            off.filter(|off| !off.is_nan()).fold(0.0, f64::max)
        };
        let mut largest: Vec<f64> = resampled.replicates.iter().map(largest).collect();
        largest.sort_unstable_by(f64::total_cmp);
        let times = super::statistic::quantile_of_sorted(&largest, settings.confidence).unwrap_or(f64::NAN);
        // What few processes make wider than many would.
        let few = |freedom: f64| t_quantile(settings.confidence, freedom) / t_quantile(settings.confidence, 1e6);
        let mut deciding: Vec<(String, f64)> = (0..classes.len())
            .map(|at| (ClassFit::label_of(classes[at].point), moderated[at] * times * few(freedom[at])))
            .collect();
        deciding.sort_by(|one, other| other.1.total_cmp(&one.1));
        deciding.truncate(SHOWN);
        let widest = deciding.first().map_or(f64::NAN, |(_, half_width)| *half_width);
        let half_width = |at: usize| {
            let known = experiment.between_runs.of(classes[at].point).hypot(resampled.pinned[at]);
            reach(moderated[at], freedom[at], known, settings.confidence)
        };
        Self {
            band: Band { widest, limit: settings.noise_limit, deciding },
            half_widths: (0..classes.len()).map(half_width).collect(),
        }
    }
}

/// A standard error moderated by those of classes of alike size, which differ by little but chance: that of ten processes is off by a quarter.
///
/// On the scale of logarithms it moves towards their root mean square, by the share of their spread that chance explains: the variance of the
/// logarithm of a variance with so many degrees of freedom (Smyth, *Linear Models and Empirical Bayes Methods for Assessing Differential
/// Expression*, 2004).
fn moderate(error: f64, alike: &[f64], freedom: f64) -> f64 {
    let chance = trigamma(freedom / 2.0);
    let logs: Vec<f64> = alike.iter().map(|error| 2.0 * error.ln()).collect();
    #[expect(clippy::cast_precision_loss, reason = "a count of classes")]
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let spread = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let common = alike.iter().map(|error| error.powi(2)).sum::<f64>() / count;
    // One alone, or such as have no spread, leave nothing to tell.
    let share = if spread > chance { chance / spread } else { 1.0 };
    if error > 0.0 { ((1.0 - share) * error.ln() + share * common.sqrt().ln()).exp() } else { error }
}

/// The derivative of the digamma function (Abramowitz and Stegun, 6.4.12, beyond the recurrence 6.4.6).
fn trigamma(x: f64) -> f64 {
    if x < 6.0 {
        return trigamma(x + 1.0) + 1.0 / (x * x);
    }
    let square = 1.0 / (x * x);
    1.0 / x + square / 2.0 + square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square / 42.0))
}

/// Classes that are named.
const SHOWN: usize = 3;

/// Which classes have alike noise: those of alike size, or where pages are no factor those that cost the same but for a factor of four.
#[expect(clippy::cast_possible_truncation, reason = "the logarithm of a time is small")]
fn group(experiment: &Experiment, point: &Point, log: f64) -> i64 {
    if !experiment.factors.contains(&&TOUCHED_PAGES) {
        return (log / 4.0_f64.ln()).floor() as i64;
    }
    match point.touched_pages().0 {
        0..=4 => 0,
        5..=32 => 1,
        _ => 2,
    }
}

impl Band {
    /// Whether the run is too noisy to sign.
    #[must_use]
    pub fn is_too_wide(&self) -> bool {
        // A band that is no number is none to trust.
        self.widest.is_nan() || self.widest > self.limit
    }

    /// How many times as long a run would have to be: errors shrink with the root of its length.
    #[must_use]
    pub fn times_longer(&self) -> f64 {
        (self.widest / self.limit).powi(2)
    }

    /// Whether measuring longer would change little: the band is a third of what it may be.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.widest <= self.limit / 3.0
    }
}

/// An estimate from its logarithm and the half-width of that.
pub(crate) fn from_log(log: f64, half_width: f64) -> Estimate {
    Estimate::around(log, half_width).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::LOAD;
    use crate::experiment::declared::FUNCTIONS;

    /// Modules that cost so much relative to the probe, each with its error, known by 8 processes.
    fn known(costs: &[(f64, f64)]) -> Known {
        let point =
            |functions: u64| Point { variant: functions.to_string(), ..Point::default() }.with(&FUNCTIONS, functions);
        let points: Vec<Point> = (1..).take(costs.len()).map(point).collect();
        let classes: Vec<Class<'_>> =
            points.iter().enumerate().map(|(at, point)| Class { point, rows: vec![at] }).collect();
        let logs: Vec<f64> = costs.iter().map(|(cost, _)| cost.ln()).collect();
        // Two that are as far apart as a standard deviation of so much puts them.
        let moved = |to: f64| costs.iter().map(|(cost, error)| cost.ln() + to * error / 2.0_f64.sqrt()).collect();
        let resampled = Resampled {
            logs,
            replicates: vec![moved(-1.0), moved(1.0)],
            pinned: vec![0.0; costs.len()],
            freedom: 7.0,
            correction: 1.0,
        };
        Known::new(&LOAD, &classes, &resampled, &FitSettings::default())
    }

    #[test]
    fn modules_are_pooled_with_those_of_alike_cost_and_one_alone_is_known_by_its_own_processes() {
        // The dear one is ten times as noisy, and nothing to the others.
        let found = known(&[(1.0, 0.001), (1.1, 0.001), (90.0, 0.4)]);
        let between = LOAD.between_runs.of(&Point::default());
        let [cheap, dear] = [reach(0.001, 14.0, between, 0.95), reach(0.4, 7.0, between, 0.95)];
        for (half_width, expected) in found.half_widths.iter().zip([cheap, cheap, dear]) {
            assert!((half_width / expected - 1.0).abs() < 1e-9, "{half_width} {expected}");
        }
        // The band takes the same degrees of freedom: its quantile over the resamples is one over the root of two.
        let few = t_quantile(0.95, 7.0) / t_quantile(0.95, 1e6);
        assert!((found.band.widest / (0.4 / 2.0_f64.sqrt() * few) - 1.0).abs() < 1e-9, "{:?}", found.band);
    }

    #[test]
    fn trigamma_is_that_of_the_tables() {
        for (x, expected) in [(1.0, std::f64::consts::PI.powi(2) / 6.0), (3.5, 0.330_357_756), (7.5, 0.142_615_9)] {
            assert!((trigamma(x) - expected).abs() < 1e-6, "{x}: {}", trigamma(x));
        }
    }

    #[test]
    fn errors_that_differ_by_chance_alone_become_one_and_others_stay_apart() {
        let alike = [1.0, 1.1, 0.9, 1.0];
        assert!((moderate(1.1, &alike, 15.0) - moderate(0.9, &alike, 15.0)).abs() < 1e-12);
        let apart = [0.1, 1.0, 10.0];
        let (small, large) = (moderate(0.1, &apart, 15.0), moderate(10.0, &apart, 15.0));
        assert!(small < 0.2 && large > 8.0, "{small} {large}");
        assert!((moderate(2.0, &[2.0], 15.0) - 2.0).abs() < 1e-12);
    }
}
