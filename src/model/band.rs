//! How well the classes of a run are known, one by one and all at once.

use serde::{Deserialize, Serialize};

use super::classes::{Class, Resampled};
use super::student::t_quantile;
use super::{ClassFit, Estimate, FitSettings};

/// What a ratio moves from one run to the next whatever their length, as a standard deviation of its logarithm; and that of the
/// smallest memories, whose cost is mostly instantiation. Found in 25 runs over a day on a shared machine.
const RUN_TO_RUN: (f64, f64) = (0.01, 0.02);

/// Most touched pages of the smallest memories.
const SMALLEST: u32 = 2;

/// The standard deviation between runs of a size.
pub(crate) fn run_to_run(touched_pages: u32) -> f64 {
    if touched_pages <= SMALLEST { RUN_TO_RUN.1 } else { RUN_TO_RUN.0 }
}

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
    pub(crate) fn new(classes: &[Class<'_>], resampled: &Resampled, settings: &FitSettings) -> Self {
        let errors = resampled.errors();
        // What was estimated together has an error in common, which says nothing about the others.
        let size = |at: usize| (group(classes[at].point.touched_pages().0), classes[at].point.is_undisturbed());
        let moderated: Vec<f64> = (0..classes.len())
            .map(|at| {
                let alike = (0..classes.len()).filter(|&other| size(other) == size(at)).map(|other| errors[other]);
                moderate(errors[at], &alike.collect::<Vec<_>>(), resampled.freedom)
            })
            .collect();
        let largest = |logs: &Vec<f64>| {
            let off = logs.iter().zip(&resampled.logs).zip(&moderated);
            let off = off.map(|((log, observed), error)| (log - observed).abs() * resampled.correction / error);
            off.filter(|off| !off.is_nan()).fold(0.0, f64::max)
        };
        let mut largest: Vec<f64> = resampled.replicates.iter().map(largest).collect();
        largest.sort_unstable_by(f64::total_cmp);
        let times = super::statistic::quantile_of_sorted(&largest, settings.confidence).unwrap_or(f64::NAN);
        // What few processes make wider than many would.
        let freedom = 2.0 * resampled.freedom;
        let few = t_quantile(settings.confidence, freedom) / t_quantile(settings.confidence, 1e6);
        let mut deciding: Vec<(String, f64)> = classes
            .iter()
            .zip(&moderated)
            .map(|(class, error)| (ClassFit::label_of(class.point), error * times * few))
            .collect();
        deciding.sort_by(|one, other| other.1.total_cmp(&one.1));
        deciding.truncate(SHOWN);
        let widest = deciding.first().map_or(f64::NAN, |(_, half_width)| *half_width);
        let half_width = |((class, &error), pinned): ((&Class<'_>, &f64), &f64)| {
            let known = run_to_run(class.point.touched_pages().0).hypot(*pinned);
            reach(error, freedom, known, settings.confidence)
        };
        Self {
            band: Band { widest, limit: settings.noise_limit, deciding },
            half_widths: classes.iter().zip(&moderated).zip(&resampled.pinned).map(half_width).collect(),
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

/// Sizes whose noise is alike.
const fn group(touched_pages: u32) -> u8 {
    match touched_pages {
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
