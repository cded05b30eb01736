use std::str::FromStr;

use super::Gas;

/// A text that is no amount of gas.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no amount of gas: write a whole number up to 2^63 - 1, such as 2_500_000_000_000 or 2.5e12")]
pub struct ParseGasError(String);

impl FromStr for Gas {
    type Err = ParseGasError;

    /// Digits with or without `_` between them, or a decimal with an exponent that makes it whole.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        whole(&text.trim().replace('_', ""))
            .map(Self)
            .filter(|&gas| gas <= Self::MAX)
            .ok_or_else(|| ParseGasError(text.into()))
    }
}

fn whole(text: &str) -> Option<u64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if integer.is_empty() || mantissa.ends_with('.') {
        return None;
    }
    let digits = format!("{integer}{fraction}");
    let number: u64 = digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())??;
    let shift = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let scale = 10_u64.checked_pow(shift.unsigned_abs())?;
    if shift < 0 { number.is_multiple_of(scale).then_some(number / scale) } else { number.checked_mul(scale) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gas_is_read_as_tables_show_it_and_as_decimals_that_are_whole() {
        for (text, gas) in [
            ("0", 0),
            ("2_500_000_000_000", 2_500_000_000_000),
            ("2.5e12", 2_500_000_000_000),
            ("2.5E0_1", 25),
            ("1_000.0", 1000),
            ("2500e-2", 25),
            ("9_223_372_036_854_775_807", Gas::MAX.0),
        ] {
            assert_eq!(text.parse(), Ok(Gas(gas)), "{text}");
        }
        for text in ["", "-1", "2.5", "1e19", "1e99", "5 Tgas", ".5e1", "5.", "0x10", "9223372036854775808"] {
            assert!(text.parse::<Gas>().is_err(), "{text}");
        }
    }
}
