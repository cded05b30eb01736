//! From a time to gas: time × gas per time × safety factor, rounded up, and the same in words.

use super::chain::ChainSettings;
use super::decimal::{Decimal, show};
use crate::units::{Gas, group_digits};

/// What a time costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Priced {
    /// Rounded up to a whole number alone.
    pub exact: u64,
    /// Rounded up to the chain's significant digits as well.
    pub gas: Gas,
}

/// What so many nanoseconds cost, in exact decimal arithmetic; `None` for what is no time, and beyond [`Gas::MAX`].
pub(super) fn priced(nanos: f64, chain: &ChainSettings) -> Option<Priced> {
    let factors = [
        Decimal::new(nanos)?,
        Decimal::new(chain.safety_factor)?,
        chain.gas_per_second.into(),
        Decimal { digits: 1, exponent: -9 },
    ];
    let exact = u64::try_from(Decimal::product_up(&factors)?).ok()?;
    Some(Priced { exact, gas: Gas(exact).round_up(chain.significant_digits)? })
}

/// What every [`derivation`] has in it, and hardly another text.
pub(super) const DERIVED: &str = " ns × safety ";

/// `30_512 ns × safety 3 × 1_000_000 gas/ns = 91_536_000_000, rounded up to 3 digits`.
pub(super) fn derivation(nanos: f64, chain: &ChainSettings, exact: u64) -> String {
    const NANOS_PER_SECOND: u64 = 1_000_000_000;
    let (rate, per) = match chain.gas_per_second {
        rate if rate.is_multiple_of(NANOS_PER_SECOND) => (rate / NANOS_PER_SECOND, "gas/ns"),
        rate => (rate, "gas/s"),
    };
    format!(
        "{}{DERIVED}{} × {} {per} = {}, rounded up to {} digit{}",
        show(nanos).trim_end_matches(".0"),
        chain.safety_factor,
        group_digits(rate),
        group_digits(exact),
        chain.significant_digits,
        if chain.significant_digits == 1 { "" } else { "s" },
    )
}
