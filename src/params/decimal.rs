//! Decimal arithmetic, so that no float error can round a charge down.

use crate::units::group_digits;

/// A number at or above zero, `digits` × 10^`exponent`, without trailing zeros in the digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    pub digits: u64,
    pub exponent: i32,
}

/// Which way [`Decimal::round`] goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Towards {
    Zero,
    Infinity,
}

impl Decimal {
    /// The decimal that the float prints as: the shortest that reads back as the same float, which is the number that
    /// a reader of the table sees. `None` below zero and for what is not finite.
    pub fn new(value: f64) -> Option<Self> {
        if !value.is_finite() || value < 0.0 {
            return None;
        }
        let text = format!("{:e}", value.abs());
        let (mantissa, exponent) = text.split_once('e')?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        let places = i32::try_from(fraction.len()).ok()?;
        Some(Self { digits, exponent: exponent.parse::<i32>().ok()? - places }.trimmed())
    }

    /// At most `significant` digits, towards zero or away from it.
    pub fn round(self, significant: u32, towards: Towards) -> Self {
        let length = self.digits.checked_ilog10().map_or(1, |log| log + 1);
        let dropped = length.saturating_sub(significant.max(1));
        let step = 10u64.pow(dropped);
        let digits = match towards {
            Towards::Zero => self.digits / step,
            Towards::Infinity => self.digits.div_ceil(step),
        };
        Self { digits, exponent: self.exponent.saturating_add_unsigned(dropped) }.trimmed()
    }

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        // The text is a number by construction; a zero would be caught by every check of a time.
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or_default()
    }

    /// The product of several numbers, rounded up to a whole number; `None` beyond 128 bits.
    pub fn product_up(factors: &[Self]) -> Option<u128> {
        let mut digits = 1u128;
        let mut exponent = 0i32;
        for factor in factors {
            digits = digits.checked_mul(factor.digits.into())?;
            exponent = exponent.checked_add(factor.exponent)?;
        }
        let power = 10u128.checked_pow(exponent.unsigned_abs());
        match (digits, power) {
            (0, _) => Some(0),
            (_, Some(power)) if exponent < 0 => Some(digits.div_ceil(power)),
            (_, Some(power)) => digits.checked_mul(power),
            // Beyond 10^38 below the point: something, but less than one.
            (_, None) => (exponent < 0).then_some(1),
        }
    }

    fn trimmed(mut self) -> Self {
        if self.digits == 0 {
            return Self { digits: 0, exponent: 0 };
        }
        while self.digits.is_multiple_of(10) {
            self.digits /= 10;
            self.exponent += 1;
        }
        self
    }
}

impl From<u64> for Decimal {
    fn from(digits: u64) -> Self {
        Self { digits, exponent: 0 }.trimmed()
    }
}

/// A finite float as tables write it: shortest, digits before the point in groups, a point in any case: `30_512.0`.
///
/// Far from 1 the exponent is written, as digits would not be read: `1e-9`.
pub(super) fn show(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e15).contains(&magnitude) {
        return format!("{value:e}");
    }
    let plain = magnitude.to_string();
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, "0"));
    let grouped = whole.parse().map_or_else(|_| whole.to_owned(), group_digits);
    format!("{}{grouped}.{fraction}", if value.is_sign_negative() { "-" } else { "" })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(digits: u64, exponent: i32) -> Decimal {
        Decimal { digits, exponent }
    }

    #[test]
    fn floats_become_the_decimals_they_print_as() {
        for (value, expected) in [
            (0.0, decimal(0, 0)),
            (0.1, decimal(1, -1)),
            (30_512.0, decimal(30_512, 0)),
            (1e15, decimal(1, 15)),
            (123.456, decimal(123_456, -3)),
            (5e-324, decimal(5, -324)),
        ] {
            assert_eq!(Decimal::new(value), Some(expected));
        }
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Decimal::new(value), None);
        }
    }

    #[test]
    fn rounding_goes_the_way_it_is_told() {
        assert_eq!(decimal(30_511, 0).round(4, Towards::Infinity), decimal(3052, 1));
        assert_eq!(decimal(30_511, 0).round(4, Towards::Zero), decimal(3051, 1));
        assert_eq!(decimal(99_991, -3).round(4, Towards::Infinity), decimal(1, 2));
        assert_eq!(decimal(12, 5).round(4, Towards::Infinity), decimal(12, 5));
    }

    #[test]
    fn products_are_exact_and_round_up() {
        // In floats, 0.1 × 3 is 0.30000000000000004 and would give 4.
        assert_eq!(Decimal::product_up(&[decimal(1, -1), decimal(3, 0), decimal(1, 1)]), Some(3));
        assert_eq!(Decimal::product_up(&[decimal(1, -1), decimal(1, -300)]), Some(1));
        assert_eq!(Decimal::product_up(&[decimal(u64::MAX, 0); 3]), None);
        assert_eq!(Decimal::product_up(&[decimal(1, 300)]), None);
    }

    #[test]
    fn floats_are_shown_in_groups() {
        for (value, text) in
            [(30_512.0, "30_512.0"), (0.0, "0.0"), (-1234.5, "-1_234.5"), (1e-9, "1e-9"), (1e300, "1e300")]
        {
            assert_eq!(show(value), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
            prop_assert_eq!(show(value).replace('_', "").parse::<f64>().unwrap().to_bits(), value.to_bits());
        }

        #[test]
        fn a_float_survives_being_a_decimal(value in 0.0f64..=f64::MAX) {
            prop_assert_eq!(Decimal::new(value).unwrap().to_f64().to_bits(), value.to_bits());
        }

        #[test]
        fn rounding_brackets_the_value(value in 1e-9f64..1e18, significant in 1u32..15) {
            let exact = Decimal::new(value).unwrap();
            prop_assert!(exact.round(significant, Towards::Zero).to_f64() <= value);
            prop_assert!(exact.round(significant, Towards::Infinity).to_f64() >= value);
        }
    }
}
