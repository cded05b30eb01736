use super::charges::{Charges, Line};
use crate::params::error::ParamsError;
use crate::units::Gas;

/// From the table's gas to another chain's, by what each gives for a second of execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rate {
    pub from: u64,
    pub to: u64,
}

/// The page counts at which the loss is shown, beside the most that the chain allows.
const SHOWN: [u64; 3] = [1, 17, 64];

impl Rate {
    /// The gas in the other chain's, in units of which `per` are one gas there, rounded up.
    pub fn up(self, gas: Gas, per: u64) -> Result<u64, ParamsError> {
        self.share_up(gas, per, 1)
    }

    /// The same, divided by `parts` before it is rounded.
    pub fn share_up(self, gas: Gas, per: u64, parts: u64) -> Result<u64, ParamsError> {
        let whole = u128::from(gas.0) * u128::from(self.to);
        let divisor = u128::from(self.from) * u128::from(parts);
        whole
            .checked_mul(per.into())
            .map(|product| product.div_ceil(divisor.max(1)))
            .and_then(|units| u64::try_from(units).ok())
            .ok_or_else(|| ParamsError::Export(format!("{gas} gas is out of range at {} gas per second", self.to)))
    }

    /// What `exported`, units of 1/`per` by the number of pages, adds to the charge at some page counts and at `most`, the most that a contract may declare.
    pub fn loss(self, charges: &Charges, exported: &Line, per: u64, most: u64) -> String {
        let line = charges.line();
        let at = |pages: u64| {
            let ours = as_f64(line.at(pages)) * (as_f64(self.to.into()) / as_f64(self.from.into()));
            let theirs = as_f64(exported.at(pages)) / as_f64(per.into());
            // A free call stays free unless the format cannot say so.
            let share = if ours > 0.0 { (theirs / ours - 1.0).max(0.0) * 100.0 } else { 0.0 };
            format!("{share:.2} % at {pages}")
        };
        let shown: Vec<String> = SHOWN.into_iter().filter(|&pages| pages < most).chain([most]).map(at).collect();
        let what = if charges.beyond.is_empty() { "rounding" } else { "the format" };
        format!("{what} adds {} pages", shown.join(", "))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share for people needs no more than 53 bits")]
fn as_f64(number: u128) -> f64 {
    number as f64
}
