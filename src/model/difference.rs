//! Two figures against each other by their standard errors.

use serde::{Deserialize, Serialize};

use super::Estimate;
use super::student::{t_p_value, t_quantile};

/// What a comparison found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// B is cheaper: the ratio is beyond the threshold below 1 and its interval leaves out 1.
    Faster,
    /// B is dearer: the ratio is beyond the threshold above 1 and its interval leaves out 1.
    Slower,
    /// The whole interval is within the threshold of 1.
    Same,
    /// None of these: measure longer.
    Unsure,
}

impl Verdict {
    /// The verdict on a ratio of costs given the practical threshold, 0.02 for 2 %. Below 1 the threshold is `1/1.02`, so
    /// that exchanging the sides exchanges faster and slower.
    #[must_use]
    pub fn on(ratio: Estimate, threshold: f64) -> Self {
        let limit = 1.0 + threshold;
        if ratio.low > 1.0 && ratio.value > limit {
            Self::Slower
        } else if ratio.high < 1.0 && ratio.value < 1.0 / limit {
            Self::Faster
        } else if ratio.low >= 1.0 / limit && ratio.high <= limit {
            Self::Same
        } else {
            Self::Unsure
        }
    }
}

/// A ratio of costs, B over A, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    /// Cost of B over cost of A: 2 is twice as dear.
    pub ratio: Estimate,
    /// p-value of [`TEST`](super::TEST) that the true ratio is 1.
    pub p_value: f64,
    /// The verdict.
    pub verdict: Verdict,
}

/// A figure, or its logarithm, with its standard error and degrees of freedom at each level of resampling.
pub(crate) struct Level {
    /// The figure.
    pub(crate) value: f64,
    /// What is known of its error, for each level of resampling.
    pub(crate) errors: Vec<Known>,
}

/// What is known of an error.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// Its standard error.
    pub(crate) error: f64,
    /// Degrees of freedom.
    pub(crate) freedom: f64,
    /// What comes on top between runs.
    pub(crate) between_runs: f64,
}

/// Degrees of freedom of what is taken as known.
const MANY: f64 = 1e6;

/// Standard error and degrees of freedom of a difference, for each level of resampling. A side that lacks a level, having
/// a single process, takes part with the one it has.
pub(crate) fn differences(a: &Level, b: &Level) -> Vec<(f64, f64)> {
    let count = a.errors.len().max(b.errors.len());
    // The rounds are the last level.
    let from_end = |errors: &[Known], back: usize| errors.iter().rev().nth(back).or(errors.first()).copied();
    (0..count)
        .filter_map(|back| {
            let (one, other) = (from_end(&a.errors, back)?, from_end(&b.errors, back)?);
            let variance = |of: Known| of.error.powi(2) + of.between_runs.powi(2);
            let both = variance(one) + variance(other);
            let welch = both.powi(2) / (one.error.powi(4) / one.freedom + other.error.powi(4) / other.freedom);
            let most = if one.between_runs > 0.0 { MANY } else { one.freedom + other.freedom };
            Some((both.sqrt(), if welch.is_finite() { welch.min(MANY) } else { most }))
        })
        .collect()
}

impl Level {
    /// The figure with the interval that its own side gives it, without what moves between runs.
    pub(crate) fn alone(&self, confidence: f64) -> Estimate {
        let half_widths = self.errors.iter().map(|of| of.error * t_quantile(confidence, of.freedom));
        Estimate::around(self.value, half_widths.fold(0.0, f64::max))
    }

    /// How much more the other is, with the p-value that it is none.
    pub(crate) fn to(&self, other: &Self, confidence: f64) -> (Estimate, f64) {
        let difference = other.value - self.value;
        let (mut half_width, mut p_value) = (0.0_f64, 0.0_f64);
        for (error, freedom) in differences(self, other) {
            half_width = half_width.max(error * t_quantile(confidence, freedom));
            let t = difference / error;
            // Without any variation a difference is certain, and so is equality.
            p_value = p_value.max(if t.is_nan() { 1.0 } else { t_p_value(t.abs().min(1e100), freedom) });
        }
        (Estimate::around(difference, half_width), p_value)
    }
}

impl Ratio {
    /// Of two logarithms.
    pub(crate) fn of(a: &Level, b: &Level, confidence: f64, threshold: f64) -> Self {
        let (difference, p_value) = a.to(b, confidence);
        let ratio = difference.exp();
        Self { ratio, p_value, verdict: Verdict::on(ratio, threshold) }
    }
}
