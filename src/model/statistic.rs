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

    fn quantile(self) -> Option<f64> {
        match self {
            Self::Mean => None,
            Self::Median => Some(0.5),
            Self::P95 => Some(0.95),
            Self::P99 => Some(0.99),
        }
    }

    /// The statistic of values in ascending order; `None` if there are none.
    #[must_use]
    pub fn of_sorted(self, sorted: &[f64]) -> Option<f64> {
        let total = u64::try_from(sorted.len()).ok().filter(|&n| n > 0)?;
        Some(self.weighted(total, sorted.iter().map(|&value| (value, 1))))
    }

    /// The statistic of values in ascending order, each counted as often as its weight says; `total` is their sum, above 0.
    ///
    /// Quantiles interpolate between neighbours (type 7 of Hyndman and Fan, *Sample Quantiles in Statistical Packages*,
    /// 1996, the default of R and `NumPy`), so that a median agrees with what other tools compute from the same samples.
    #[expect(clippy::cast_precision_loss, reason = "counts of cycles stay far below 2^53")]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the position lies between 0 and total"
    )]
    pub(crate) fn weighted(self, total: u64, sorted: impl Iterator<Item = (f64, u32)>) -> f64 {
        let Some(quantile) = self.quantile() else {
            return sorted.map(|(value, weight)| value * f64::from(weight)).sum::<f64>() / total as f64;
        };
        let position = (total - 1) as f64 * quantile;
        let (below, share) = (position as u64, position.fract());
        let (mut counted, mut lower) = (0, None);
        let mut last = f64::NAN;
        for (value, weight) in sorted {
            if weight == 0 {
                continue;
            }
            counted += u64::from(weight);
            last = value;
            match lower {
                None if counted > below + 1 || (counted > below && share == 0.0) => return value,
                None if counted > below => lower = Some(value),
                None => {}
                Some(lower) => return lower + (value - lower) * share,
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    proptest! {
        #[test]
        fn weights_count_as_copies(mut pairs in prop::collection::vec((-1e9..1e9, 0u32..4), 1..40)) {
            pairs.sort_by(|a, b| f64::total_cmp(&a.0, &b.0));
            let copies: Vec<f64> =
                pairs.iter().flat_map(|&(value, weight)| std::iter::repeat_n(value, weight as usize)).collect();
            prop_assume!(!copies.is_empty());
            for statistic in [Statistic::Mean, Statistic::Median, Statistic::P95, Statistic::P99] {
                let weighted = statistic.weighted(copies.len() as u64, pairs.iter().copied());
                let copied = statistic.of_sorted(&copies).unwrap();
                prop_assert!((weighted - copied).abs() <= 1e-6, "{statistic}: {weighted} and {copied}");
            }
        }
    }
}
