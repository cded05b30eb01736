//! Prices for `fvm/src/gas/price_list.rs` of filecoin-project/ref-fvm, whose gas is kept in thousandths and whose memory is
//! charged by the byte (`memory_expansion_per_byte_cost`). A flat price beside one that scales is its `ScalingCost`.

use std::fmt::Write;

use super::charges::Charges;
use super::countable::countable;
use super::exporter::{Export, Exporter, MEMORY_ALONE, Worth};
use super::origin::{commented, origin};
use super::rate::Rate;
use crate::params::error::ParamsError;
use crate::params::table::ParamTable;
use crate::units::{Gas, WASM_PAGE, group_digits};

/// Gas for a second: 10 for a nanosecond, Filecoin's target (FIP-0057).
const GAS_PER_SECOND: u64 = 10_000_000_000;

/// Parts of a gas that the machine counts in, `MILLIGAS_PRECISION` in `fvm/src/gas/mod.rs`.
const MILLI: u64 = 1000;

/// Prices in milligas, Rust.
pub(super) static FVM: Exporter = Exporter {
    name: "fvm",
    about: "Prices in milligas, Rust",
    worth: Worth::Fixed(GAS_PER_SECOND),
    is_json: false,
    places: MEMORY_ALONE,
    export,
    change: None,
};

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let charges = Charges::of(table)?;
    let chain = &table.provenance.chain;
    let declared = chain.initial_pages_max.0.into();
    let per_byte = |gas: Gas| rate.share_up(gas, MILLI, WASM_PAGE);
    let (flat, scale) = (rate.up(charges.base, MILLI)?, per_byte(charges.page)?);
    let grow = charges.grow.map(per_byte).transpose()?;
    let dearest = scale.max(grow.unwrap_or(0));
    // The machine counts in an `i64`.
    countable(flat, dearest.saturating_mul(WASM_PAGE), Gas::MAX.0, "the machine")?;
    let notes = vec![rate.loss(charges, flat, scale.saturating_mul(WASM_PAGE), MILLI, declared)];
    let mut text = commented("//", &origin(table, rate));
    text += &commented("//", &notes);
    // Writing to a `String` cannot fail.
    let _ = write!(
        text,
        "\n/// For the memory of a call: `flat` once, `scale` for each byte that the module declares.\n\
         pub(crate) const MEMORY_INIT: ScalingCost = ScalingCost {{\n    flat: Gas::from_milligas({}),\n    \
         scale: Gas::from_milligas({}),\n}};\n",
        group_digits(flat),
        group_digits(scale)
    );
    if let Some(grow) = grow {
        let _ = write!(
            text,
            "\n/// For each byte that `memory.grow` adds.\n\
             pub(crate) const MEMORY_GROW_PER_BYTE: Gas = Gas::from_milligas({});\n",
            group_digits(grow)
        );
    }
    Ok(Export { text, notes })
}
