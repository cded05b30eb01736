//! A value with the interval that holds the truth.

use serde::{Deserialize, Serialize};

/// An estimated quantity with its confidence interval, both in the same unit.
///
/// The interval belongs to the confidence of the fit's settings, 95 % by default. It is not cut off at 0: an interval
/// that reaches below 0 says that the samples cannot tell the quantity from nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// The estimate itself.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// An estimate whose interval reaches equally far to both sides.
    #[must_use]
    pub fn around(value: f64, half_width: f64) -> Self {
        Self { value, low: value - half_width, high: value + half_width }
    }

    /// Whether the interval holds `truth`.
    #[must_use]
    pub fn holds(&self, truth: f64) -> bool {
        (self.low..=self.high).contains(&truth)
    }

    /// Half the width of the interval as a share of the value; infinite at 0.
    #[must_use]
    pub fn relative_half_width(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.value.abs()
    }

    /// The same quantity in another unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let (one, other) = (self.low * factor, self.high * factor);
        Self { value: self.value * factor, low: one.min(other), high: one.max(other) }
    }

    /// The quantity of which this is the logarithm.
    #[must_use]
    pub fn exp(self) -> Self {
        Self { value: self.value.exp(), low: self.low.exp(), high: self.high.exp() }
    }

    /// Whether all three numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.low.is_finite() && self.high.is_finite()
    }
}
