//! `StylusParams` of an Arbitrum chain (`arbos/programs/params.go` of `OffchainLabs/nitro`), in the units that `ArbOS` stores.
//!
//! A call pays `page_gas` for each page beyond the free ones, an exponential ramp fixed in `ArbOS` on top (`memory.go`), and at least
//! the minimum for a cached program, which from Stylus version 2 every call pays (`programs.go`). Pages that grow are charged alike.

use serde_json::json;

use super::charges::Charges;
use super::exporter::{Export, Exporter, MEMORY_ALONE, Worth};
use super::rate::Rate;
use crate::params::error::ParamsError;
use crate::params::table::ParamTable;
use crate::units::Gas;

/// The ramp of `ArbOS` ends here; beyond, a call costs more than there is gas.
const RAMP_PAGES: u64 = 128;
/// Gas in a unit of the minimum for a program that is not cached (`MinInitGasUnits`).
const MIN_INIT_UNIT: u64 = 128;
/// Gas in a unit of the minimum for a cached program (`MinCachedGasUnits`).
const MIN_CACHED_UNIT: u64 = 32;
/// A scalar of 100 %, in steps of 2 % (`CostScalarPercent`).
const SCALAR_ONE: u64 = 50;

/// Parameters of an Arbitrum chain, JSON.
pub(super) static STYLUS: Exporter = Exporter {
    name: "stylus",
    about: "Parameters of an Arbitrum chain, JSON",
    worth: Worth::Asked,
    is_json: true,
    places: MEMORY_ALONE,
    export,
    change: None,
};

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let charges = Charges::of(table)?;
    let dearest = charges.grow.map_or(charges.page, |grow| grow.max(charges.page));
    let page_gas = fits("page_gas", rate.up(dearest, 1)?, u16::MAX.into())?;
    let base = rate.up(charges.base, 1)?;
    let min_cached = fits("min_cached_init_gas", base.div_ceil(MIN_CACHED_UNIT), u8::MAX.into())?;
    let min_init = fits("min_init_gas", base.div_ceil(MIN_INIT_UNIT), u8::MAX.into())?;
    let pages_max = u64::from(table.provenance.chain.pages_max.0);
    let limit = pages_max.min(RAMP_PAGES);
    let declared = u64::from(table.provenance.chain.initial_pages_max.0);
    let mut notes = vec![format!(
        "{}, the ramp of ArbOS not counted",
        rate.loss(charges, min_cached * MIN_CACHED_UNIT, page_gas, 1, limit.min(declared))
    )];
    if limit < pages_max {
        notes.push(format!("the page limit is {limit}, where the ramp of ArbOS ends, not the table's {pages_max}"));
    }
    if dearest != charges.page {
        notes.push("a page costs what a grown one does, since ArbOS does not tell them apart".to_owned());
    }
    notes.push("min_init_gas holds the base alone: add what loading a program that is not cached costs".to_owned());
    let document = json!({
        "free_pages": 0,
        "page_gas": page_gas,
        "page_limit": limit,
        "min_init_gas": min_init,
        "min_cached_init_gas": min_cached,
        "init_cost_scalar": SCALAR_ONE,
        "cached_cost_scalar": SCALAR_ONE,
        "gas_per_second": Gas(rate.to),
        "run": table.provenance.run.run,
        "notes": notes,
    });
    Ok(Export { text: format!("{document:#}\n"), notes })
}

/// `ArbOS` keeps each in a few bits, and some of its setters take the largest for what is larger, which would be too little.
fn fits(field: &str, units: u64, most: u64) -> Result<u64, ParamsError> {
    if units > most {
        return Err(ParamsError::Export(format!(
            "{field} would be {} and holds {most} at most: is --gas-per-second this chain's? The table's gas is at {} here",
            Gas(units),
            Gas(most)
        )));
    }
    Ok(units)
}
