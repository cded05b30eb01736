use super::{Gas, group_digits};

/// A unit in which people read gas, such as `Tgas` of 10^12 gas. Amounts in it are exact: files and JSON keep gas itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GasUnit {
    name: String,
    gas: u64,
}

impl GasUnit {
    /// A unit of so much gas; `None` unless that is a power of ten from 10 to 10^18, so that every amount is a decimal, and the name is of
    /// 1 to 16 letters and digits.
    #[must_use]
    pub fn new(name: &str, gas: u64) -> Option<Self> {
        let power = gas.checked_ilog10().filter(|power| (1..=18).contains(power) && 10u64.pow(*power) == gas);
        let named = (1..=16).contains(&name.chars().count()) && name.chars().all(char::is_alphanumeric);
        power.filter(|_| named).map(|_| Self { name: name.into(), gas })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How much gas it is.
    #[must_use]
    pub const fn gas(&self) -> u64 {
        self.gas
    }

    /// The amount with the name: `0.435 Tgas`, all digits and none that means nothing.
    #[must_use]
    pub fn show(&self, amount: Gas) -> String {
        let (whole, rest) = (amount.0 / self.gas, amount.0 % self.gas);
        let digits = self.gas.ilog10() as usize;
        let fraction = format!("{rest:0digits$}");
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{}{point}{fraction} {}", group_digits(whole), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact_decimals() {
        let tera = GasUnit::new("Tgas", 1_000_000_000_000).unwrap();
        for (gas, text) in [
            (0, "0 Tgas"),
            (1, "0.000000000001 Tgas"),
            (435_000_000_000, "0.435 Tgas"),
            (1_000_000_000_000, "1 Tgas"),
            (134_579_000_000_000, "134.579 Tgas"),
            (9_007_199_254_740_993_000, "9_007_199.254740993 Tgas"),
            (i64::MAX as u64, "9_223_372.036854775807 Tgas"),
        ] {
            assert_eq!(tera.show(Gas(gas)), text);
        }
    }

    #[test]
    fn a_unit_that_would_round_is_none() {
        for (name, gas) in
            [("Tgas", 0), ("Tgas", 1), ("Tgas", 1024), ("", 10), ("T gas", 10), ("a_b", 10), ("Tgas", u64::MAX)]
        {
            assert_eq!(GasUnit::new(name, gas), None, "{name} {gas}");
        }
        assert!(GasUnit::new("Eµ", 1_000_000_000_000_000_000).is_some());
    }
}
