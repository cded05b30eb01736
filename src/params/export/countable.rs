//! Whether those who charge can count what they would.

use super::rate::Rate;
use crate::experiment::MEMORY;
use crate::params::chain::WASM_PAGES_MAX;
use crate::params::error::ParamsError;
use crate::params::table::ParamTable;

/// Makes sure that the consumer, whose sums go up to `most`, can count every call, up to the most pages that a memory can have: what it
/// does beyond that, staying at its largest number or wrapping, would be too little. All in the consumer's units.
pub(super) fn countable(base: u64, dearest_page: u64, most: u64, whose: &str) -> Result<(), ParamsError> {
    let pages = u64::from(WASM_PAGES_MAX);
    let total = dearest_page.checked_mul(pages).and_then(|pages| pages.checked_add(base));
    if total.is_none_or(|total| total > most) {
        return Err(ParamsError::Export(format!(
            "a call of {pages} pages, the most that a memory can have, is out of range for {whose}: give a smaller --gas-per-second"
        )));
    }
    Ok(())
}

/// The same for a format that has the table's own parameters, and whose consumer counts in a `u64`.
pub(super) fn countable_as_it_is(table: &ParamTable, rate: Rate, whose: &str) -> Result<(), ParamsError> {
    let gas = |name: &str| table.params.get(name).map_or(Ok(0), |param| rate.up(param.gas, 1));
    // A page may be charged for by several terms at once.
    let dearest = table
        .terms()
        .map(|(term, _)| gas(term.parameter.name))
        .try_fold(0u64, |sum, of| of.map(|of| sum.saturating_add(of)));
    countable(gas(MEMORY.base.name)?, dearest?, u64::MAX, whose)
}
