//! Prices for `fvm/src/gas/price_list.rs` of filecoin-project/ref-fvm, whose gas is kept in thousandths and whose memory is
//! charged by the byte (`memory_expansion_per_byte_cost`). A flat price beside one that scales is its `ScalingCost`.

use std::fmt::Write;

use super::charges::{Charges, Line, Part};
use super::countable::countable;
use super::exporter::{Export, Exporter, Worth, of_any};
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
    has_place: Some(of_any),
    export,
    change: None,
};

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let memory = Charges::of(table)?.map(|charges| of_memory(table, &charges, rate)).transpose()?;
    let (prices, notes) = memory.unwrap_or_default();
    let mut text = commented("//", &origin(table, rate));
    text += &commented("//", &notes);
    text += &prices;
    for part in Part::all(table)? {
        for (name, param) in part.params() {
            let price = rate.up(param.gas, MILLI)?;
            countable(price, 0, Gas::MAX.0, "the machine")?;
            // Writing to a `String` cannot fail.
            let _ = write!(
                text,
                "\n/// In {}.\npub(crate) const {}: Gas = Gas::from_milligas({});\n",
                param.unit,
                name.to_uppercase(),
                group_digits(price)
            );
        }
    }
    Ok(Export { text, notes })
}

/// The prices of a memory, and what is to be known of them.
fn of_memory(table: &ParamTable, charges: &Charges, rate: Rate) -> Result<(String, Vec<String>), ParamsError> {
    let chain = &table.provenance.chain;
    let declared = chain.initial_pages_max.0.into();
    let per_byte = |gas: Gas| rate.share_up(gas, MILLI, WASM_PAGE);
    let (flat, scale) = (rate.up(charges.base, MILLI)?, per_byte(charges.page)?);
    let grow = charges.grow.map(per_byte).transpose()?;
    let beyond: Vec<(u64, u64)> =
        charges.beyond.iter().map(|of| Ok((of.pages, per_byte(of.gas)?))).collect::<Result<_, ParamsError>>()?;
    let of_page = |price: u64| price.saturating_mul(WASM_PAGE);
    let beyond_pages = beyond.iter().map(|(from, price)| (*from, of_page(*price))).collect();
    let exported = Line { base: flat, page: of_page(scale), beyond: beyond_pages };
    // The machine counts in an `i64`.
    let dearest = exported.dearest_page().max(of_page(grow.unwrap_or(0)));
    countable(flat, dearest, Gas::MAX.0, "the machine")?;
    let notes = vec![rate.loss(charges, &exported, MILLI, declared)];
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    let _ = write!(
        text,
        "\n/// For the memory of a call: `flat` once, `scale` for each byte that the module declares.\n\
         pub(crate) const MEMORY_INIT: ScalingCost = ScalingCost {{\n    flat: Gas::from_milligas({}),\n    \
         scale: Gas::from_milligas({}),\n}};\n",
        group_digits(flat),
        group_digits(scale)
    );
    for (pages, price) in &beyond {
        let _ = write!(
            text,
            "\n/// On top, for each byte beyond {pages} pages that the module declares.\n\
             pub(crate) const MEMORY_INIT_PER_BYTE_BEYOND_{pages}: Gas = Gas::from_milligas({});\n",
            group_digits(*price)
        );
    }
    if let Some(grow) = grow {
        let _ = write!(
            text,
            "\n/// For each byte that `memory.grow` adds.\n\
             pub(crate) const MEMORY_GROW_PER_BYTE: Gas = Gas::from_milligas({});\n",
            group_digits(grow)
        );
    }
    Ok((text, notes))
}
