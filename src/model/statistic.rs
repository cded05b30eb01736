//! The number that stands for the many cycles of a design point.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which number stands for a point's cycles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// Arithmetic mean: what a node spends in the long run, outliers included. Few outliers decide its interval.
    Mean,
    /// Half of the cycles cost less. Untouched by up to half the cycles being disturbed.
    #[default]
    Median,
    /// 95 % of the cycles cost less.
    P95,
    /// 99 % of the cycles cost less. It needs some hundred cycles a point before its interval means anything.
    P99,
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Mean => "mean",
            Self::Median => "median",
            Self::P95 => "95th percentile",
            Self::P99 => "99th percentile",
        })
    }
}

/// The text names no statistic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a statistic: use mean, median, p95 or p99")]
pub struct ParseStatisticError(String);

impl FromStr for Statistic {
    type Err = ParseStatisticError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = [Self::Mean, Self::Median, Self::P95, Self::P99].into_iter().find(|known| known.name() == text);
        found.ok_or_else(|| ParseStatisticError(text.into()))
    }
}

impl Statistic {
    /// The name in settings and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
            Self::P95 => "p95",
            Self::P99 => "p99",
        }
    }

    /// Fewest cycles of a point for which the statistic means anything: five beyond a high percentile, one otherwise.
    #[must_use]
    pub const fn fewest_cycles(self) -> usize {
        match self {
            Self::Mean | Self::Median => 1,
            Self::P95 => 100,
            Self::P99 => 500,
        }
    }

    /// The quantile that this is, if it is one.
    pub(crate) fn quantile(self) -> Option<f64> {
        match self {
            Self::Mean => None,
            Self::Median => Some(0.5),
            Self::P95 => Some(0.95),
            Self::P99 => Some(0.99),
        }
    }

    /// The statistic of values in any order; `None` if there are none.
    #[must_use]
    pub fn of(self, mut values: Vec<f64>) -> Option<f64> {
        values.sort_unstable_by(f64::total_cmp);
        self.of_sorted(&values)
    }

    /// The statistic of values in ascending order; `None` if there are none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of cycles are far below 2^53")]
    pub fn of_sorted(self, sorted: &[f64]) -> Option<f64> {
        match self.quantile() {
            _ if sorted.is_empty() => None,
            None => Some(sorted.iter().sum::<f64>() / sorted.len() as f64),
            Some(quantile) => quantile_of_sorted(sorted, quantile),
        }
    }
}

/// A quantile of weighted values in ascending order, of which `part` is the stretch that follows a weight of `below`;
/// `total` is the weight of all, above 0. `None` if the quantile does not lie within this stretch.
///
/// Quantiles interpolate between neighbours (type 7 of Hyndman and Fan, *Sample Quantiles in Statistical Packages*,
/// 1996, the default of R and `NumPy`), so that a median agrees with what other tools compute from the same samples.
#[expect(clippy::cast_precision_loss, reason = "counts of cycles stay far below 2^53")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the position lies between 0 and total")]
pub(crate) fn quantile_within(
    quantile: f64,
    total: u64,
    below: u64,
    part: impl Iterator<Item = (f64, u32)>,
) -> Option<f64> {
    let position = (total - 1) as f64 * quantile;
    let (wanted, share) = (position as u64, position.fract());
    if below > wanted {
        return None;
    }
    let mut counted = below;
    let mut lower = None;
    for (value, weight) in part.filter(|&(_, weight)| weight > 0) {
        counted += u64::from(weight);
        match lower {
            Some(lower) => return Some(lower + (value - lower) * share),
            None if counted > wanted + 1 || (counted > wanted && share == 0.0) => return Some(value),
            None if counted > wanted => lower = Some(value),
            None => {}
        }
    }
    None
}

/// A quantile of values in ascending order, between neighbours as [`Statistic`] has it; `None` if there are none.
#[expect(clippy::cast_precision_loss, reason = "counts of cycles are far below 2^53")]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the position lies between 0 and the count"
)]
pub(crate) fn quantile_of_sorted(sorted: &[f64], quantile: f64) -> Option<f64> {
    let position = sorted.len().checked_sub(1)? as f64 * quantile;
    let (lower, share) = (sorted[position as usize], position.fract());
    let upper = sorted[(position as usize + 1).min(sorted.len() - 1)];
    Some(lower + (upper - lower) * share)
}

/// The same in the form that has no bias whatever the count of values (type 8 of Hyndman and Fan, cited above), where a figure of few is
/// held against one of many; not below [`least_quantile`].
#[expect(clippy::cast_precision_loss, reason = "counts of cycles are far below 2^53")]
pub(crate) fn unbiased_quantile(sorted: &[f64], quantile: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)? as f64;
    let position = (sorted.len() as f64 + 1.0 / 3.0) * quantile - 2.0 / 3.0;
    quantile_of_sorted(sorted, if last > 0.0 { (position / last).clamp(0.0, 1.0) } else { 0.0 })
}

/// A measured time as a real number.
#[expect(clippy::cast_precision_loss, reason = "a cycle is far shorter than 2^53 ns, which is 104 days")]
pub(crate) fn as_ns(nanoseconds: u64) -> f64 {
    nanoseconds as f64
}

/// The lowest quantile that so many values tell: where the least of them is expected.
#[expect(clippy::cast_precision_loss, reason = "counts of cycles are far below 2^53")]
pub(crate) fn least_quantile(count: usize) -> f64 {
    1.0 / (count as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class has one cycle or two in a process of a quick run, and dozens of probes.
    #[test]
    fn few_values_tell_the_same_quantile_as_many() {
        for count in [1, 2, 3, 4, 8, 100] {
            let expected: Vec<f64> = (1..=count).map(|rank| f64::from(rank) / f64::from(count + 1)).collect();
            let at = least_quantile(expected.len()).max(0.25);
            let found = unbiased_quantile(&expected, at).unwrap();
            assert!((found - at).abs() < 0.045, "{found} for {at} of {count}");
        }
        assert_eq!((unbiased_quantile(&[], 0.25), least_quantile(1)), (None, 0.5));
    }

    #[test]
    fn quantiles_agree_with_numpy() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(Statistic::Median.of_sorted(&values), Some(3.0));
        assert_eq!(Statistic::Mean.of_sorted(&values), Some(3.75));
        assert!((Statistic::P95.of_sorted(&values).unwrap() - 7.4).abs() < 1e-12);
        assert!((Statistic::P99.of_sorted(&values).unwrap() - 7.88).abs() < 1e-12);
        assert_eq!(Statistic::P99.of_sorted(&[5.0]), Some(5.0));
        assert_eq!(Statistic::Median.of_sorted(&[]), None);
    }
}
