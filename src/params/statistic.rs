//! Which statistic of a design point's samples is priced.

use std::fmt;
use std::str::FromStr;

/// The statistic of the samples at a design point that the model fits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Statistic {
    /// The arithmetic mean.
    Mean,
    /// The median.
    #[default]
    Median,
    /// The 95th percentile.
    P95,
    /// The 99th percentile.
    P99,
}

impl Statistic {
    /// The name in `chain.toml`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
            Self::P95 => "p95",
            Self::P99 => "p99",
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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
