//! The quantities everything else is counted in: pages, bytes, time and gas.
//!
//! Arithmetic that can leave the range is checked and returns `Option`; nothing wraps and nothing is clamped.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

mod exact;
mod gas_text;
mod gas_unit;

pub use exact::Exact;
pub use gas_text::ParseGasError;
pub use gas_unit::GasUnit;

/// Bytes in a Wasm page: 64 KiB ([core specification](https://webassembly.github.io/spec/core/exec/runtime.html#memory-instances)).
pub const WASM_PAGE: u64 = 64 * 1024;

/// Bytes in a host page, the unit in which the kernel faults memory in.
///
/// Worst cases are touched at this grain. On hosts with larger pages some writes share a page, which costs less.
pub const HOST_PAGE: u64 = HOST_PAGE_SIZE as u64;

/// The same as a size in this process's memory.
pub const HOST_PAGE_SIZE: usize = 4096;

/// Host pages in a Wasm page.
pub const HOST_PAGES_PER_WASM_PAGE: u64 = WASM_PAGE / HOST_PAGE;

/// A number of Wasm pages of 64 KiB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pages(pub u32);

impl Pages {
    /// The size in bytes.
    #[must_use]
    pub const fn bytes(self) -> Bytes {
        Bytes(self.0 as u64 * WASM_PAGE)
    }

    /// How many host pages of 4 KiB this is.
    #[must_use]
    pub const fn host_pages(self) -> u64 {
        self.0 as u64 * HOST_PAGES_PER_WASM_PAGE
    }

    /// The pages beyond `other`, zero if there are none.
    #[must_use]
    pub const fn beyond(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.0 == 1 { "page" } else { "pages" };
        write!(f, "{} {noun}", self.0)
    }
}

/// A number of bytes. Shown and written in the largest binary unit that is exact: `64 KiB`, `1 MiB`, `100 B`.
///
/// It is read from an integer or from a text such as `"64 KiB"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl Bytes {
    /// The Wasm pages that hold this many bytes, rounded up; `None` beyond the 32-bit count of pages.
    #[must_use]
    pub fn pages_up(self) -> Option<Pages> {
        u32::try_from(self.0.div_ceil(WASM_PAGE)).ok().map(Pages)
    }

    /// The size in this process's memory; on a 32-bit host the largest there is where it does not fit, which no mapping can have.
    #[must_use]
    pub fn host_size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

const BINARY_UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, size) = BINARY_UNITS
            .into_iter()
            .find(|&(_, size)| self.0 >= size && self.0.is_multiple_of(size))
            .unwrap_or(("B", 1));
        write!(f, "{} {name}", self.0 / size)
    }
}

/// Why a text is not a number of bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseBytesError {
    /// The digits do not form an unsigned integer.
    #[error("`{0}` is not a size: write a whole number and a unit, such as `64 KiB`")]
    Number(String, #[source] ParseIntError),
    /// The unit is not one of B, KiB, MiB and GiB.
    #[error("`{0}` has an unknown unit: use B, KiB, MiB or GiB")]
    Unit(String),
    /// The product leaves the 64-bit range.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

impl FromStr for Bytes {
    type Err = ParseBytesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trimmed = text.trim();
        let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(digits);
        let number: u64 = number.parse().map_err(|e| ParseBytesError::Number(text.into(), e))?;
        let unit = unit.trim();
        let size = BINARY_UNITS
            .into_iter()
            .find(|&(name, _)| name == unit || (unit.is_empty() && name == "B"))
            .map(|(_, size)| size)
            .ok_or_else(|| ParseBytesError::Unit(text.into()))?;
        number.checked_mul(size).map(Self).ok_or_else(|| ParseBytesError::TooLarge(text.into()))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a size: a whole number of bytes or a text such as \"64 KiB\"")]
        enum Raw {
            Number(u64),
            Text(String),
        }
        match Raw::deserialize(deserializer)? {
            Raw::Number(bytes) => Ok(Self(bytes)),
            Raw::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// A time in nanoseconds, as estimated: it may have a fraction.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub f64);

impl fmt::Display for Nanos {
    /// Three significant digits in the unit that fits: `950 ns`, `46.8 µs`, `30.7 ms`, `1.20 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.abs();
        let (size, unit) = match magnitude {
            m if m < 999.5 => (1.0, "ns"),
            m if m < 999.5e3 => (1e3, "µs"),
            m if m < 999.5e6 => (1e6, "ms"),
            _ => (1e9, "s"),
        };
        let scaled = self.0 / size;
        let decimals = match scaled.abs() {
            s if s >= 99.95 => 0,
            s if s >= 9.995 => 1,
            _ => 2,
        };
        f.pad(&format!("{scaled:.decimals$} {unit}"))
    }
}

/// An amount of gas. Tables keep it in a TOML integer, so it stays within `i64`. In JSON it is written as [`Exact`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gas(pub u64);

impl Gas {
    /// The largest amount that a TOML integer holds.
    pub const MAX: Self = Self(i64::MAX as u64);

    /// Sum, or `None` beyond [`Gas::MAX`].
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self).filter(|&sum| sum <= Self::MAX)
    }

    /// Product with a count, or `None` beyond [`Gas::MAX`].
    #[must_use]
    pub fn checked_mul(self, count: u64) -> Option<Self> {
        self.0.checked_mul(count).map(Self).filter(|&product| product <= Self::MAX)
    }

    /// The smallest amount at or above this one with at most `digits` significant digits; `None` beyond [`Gas::MAX`].
    #[must_use]
    pub fn round_up(self, digits: u32) -> Option<Self> {
        let length = self.0.checked_ilog10().map_or(1, |log| log + 1);
        let step = 10u64.pow(length.saturating_sub(digits.max(1)));
        self.0.div_ceil(step).checked_mul(step).map(Self).filter(|&rounded| rounded <= Self::MAX)
    }
}

impl fmt::Display for Gas {
    /// Digits in groups of three, as tables write them: `84_000_000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&group_digits(self.0))
    }
}

/// Digits in groups of three, separated by `_` as TOML allows: `84_000_000`.
#[must_use]
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_what_they_show() {
        for bytes in [0, 1, 100, 1024, 65_536, 1 << 20, (1 << 20) + 1, 3 << 30] {
            assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
        }
    }

    #[test]
    fn bytes_refuse_nonsense() {
        for text in ["", "KiB", "12 kb", "-1", "1.5 MiB", "99999999999999999999", "18446744073709551615 KiB"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn pages_round_up() {
        assert_eq!(Bytes(0).pages_up(), Some(Pages(0)));
        assert_eq!(Bytes(1).pages_up(), Some(Pages(1)));
        assert_eq!(Bytes(WASM_PAGE + 1).pages_up(), Some(Pages(2)));
        assert_eq!(Bytes(u64::MAX).pages_up(), None);
    }

    #[test]
    fn gas_rounds_up_to_significant_digits() {
        assert_eq!(Gas(84_123_456).round_up(3), Some(Gas(84_200_000)));
        assert_eq!(Gas(84_000_000).round_up(3), Some(Gas(84_000_000)));
        assert_eq!(Gas(999_999).round_up(3), Some(Gas(1_000_000)));
        assert_eq!(Gas(0).round_up(3), Some(Gas(0)));
        assert_eq!(Gas::MAX.round_up(1), None);
    }

    #[test]
    fn nanos_show_three_digits() {
        for (nanos, text) in
            [(950.0, "950 ns"), (46_800.0, "46.8 µs"), (30.7e6, "30.7 ms"), (999.6, "1.00 µs"), (1.2e9, "1.20 s")]
        {
            assert_eq!(Nanos(nanos).to_string(), text);
        }
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!(group_digits(0), "0");
        assert_eq!(group_digits(999), "999");
        assert_eq!(group_digits(84_000_000), "84_000_000");
    }
}
