//! `StylusParams` of an Arbitrum chain (`arbos/programs/params.go` of `OffchainLabs/nitro`), in the units that `ArbOS` stores.
//!
//! A call pays `page_gas` for each page beyond the free ones, an exponential ramp fixed in `ArbOS` on top (`memory.go`), and at least
//! the minimum for a cached program, which from Stylus version 2 every call pays (`programs.go`). Pages that grow are charged alike.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::charges::{Charges, Line, Part};
use super::exporter::{Export, Exporter, Worth, of_memory};
use super::rate::Rate;
use crate::experiment::declared::{CODE_BYTES, FUNCTIONS, GLOBALS, NAME_BYTES};
use crate::experiment::load::{LOAD_COLD, LOAD_KEPT, LOAD_MEMORY};
use crate::experiment::{Column, EXPERIMENTS, Experiment, Factor, LOAD, Term};
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
    has_place: Some(has_place),
    export,
    change: None,
};

/// What the prover counts of a program for its `init_cost` (`arbitrator/prover/src/binary.rs`): its name there, and what of a module is as many
/// or fewer. Bytes of code and of names are disjoint parts of `wasm_len`, so that the dearer of the two is charged for all.
const COUNTED: [(&str, &[&Factor]); 3] =
    [("funcs", &[&FUNCTIONS]), ("globals", &[&GLOBALS]), ("wasm_len", &[&CODE_BYTES, &NAME_BYTES])];

/// The prover multiplies by a whole number and divides by another, this one here.
const INIT_DENOMINATOR: u64 = 1_000_000;

/// The experiments whose fee a call of a program pays, each with the field that its base is the minimum of, gas in a unit of it, and the cost
/// that its terms are constants of.
fn init(experiment: &Experiment) -> Option<(&'static str, u64, &'static str)> {
    if *experiment == LOAD_KEPT {
        return Some(("min_cached_init_gas", MIN_CACHED_UNIT, "cached_init_cost"));
    }
    [&LOAD, &LOAD_COLD, &LOAD_MEMORY].contains(&experiment).then_some(("min_init_gas", MIN_INIT_UNIT, "init_cost"))
}

fn counted(term: &Term) -> Option<&'static str> {
    let Column::Level(factor) = term.column else { return None };
    COUNTED.iter().find(|(_, factors)| factors.contains(&factor)).map(|(name, _)| *name)
}

fn has_place(name: &str) -> bool {
    let of = |experiment: &Experiment| {
        let mut terms = experiment.terms.iter().filter(|term| counted(term).is_some());
        init(experiment).is_some() && (experiment.base.name == name || terms.any(|term| term.parameter.name == name))
    };
    of_memory(name) || EXPERIMENTS.into_iter().any(of)
}

fn export(table: &ParamTable, rate: Rate) -> Result<Export, ParamsError> {
    let (mut fields, mut notes) = (Map::new(), Vec::new());
    let memory = Charges::of(table)?;
    if let Some(charges) = memory {
        (fields, notes) = of_call(table, &charges, rate)?;
    }
    for part in Part::all(table)? {
        let Some((minimum, unit, cost)) = init(part.experiment) else { continue };
        let base = fits(minimum, rate.up(part.base.gas, 1)?.div_ceil(unit), u8::MAX.into())?;
        // What a call pays for its memory is a minimum as well.
        let before = fields.get(minimum).and_then(Value::as_u64).unwrap_or_default();
        fields.insert(minimum.into(), json!(fits(minimum, before.saturating_add(base), u8::MAX.into())?));
        let mut constants: BTreeMap<&str, Gas> = BTreeMap::new();
        for (term, param) in &part.terms {
            let Some(name) = counted(term) else { continue };
            let numerator = constants.entry(name).or_default();
            *numerator = Gas(rate.share_up(param.gas, INIT_DENOMINATOR, term.per)?).max(*numerator);
        }
        fields.insert(cost.into(), json!(constants));
        notes.push(format!(
            "{cost} holds constants for the prover: each times what it counts, divided by {INIT_DENOMINATOR}, in gas"
        ));
    }
    fields.insert("gas_per_second".into(), json!(Gas(rate.to)));
    fields.insert("run".into(), json!(table.provenance.run.run));
    fields.insert("notes".into(), json!(notes));
    Ok(Export { text: format!("{:#}\n", Value::from(fields)), notes })
}

/// The fields for the memory of a call, and what is to be known of them.
fn of_call(
    table: &ParamTable,
    charges: &Charges,
    rate: Rate,
) -> Result<(Map<String, Value>, Vec<String>), ParamsError> {
    let (page, dearer) = charges.dearest_page()?;
    let dearest = charges.grow.map_or(page, |grow| grow.max(page));
    let page_gas = fits("page_gas", rate.up(dearest, 1)?, u16::MAX.into())?;
    let base = rate.up(charges.base, 1)?;
    let min_cached = fits("min_cached_init_gas", base.div_ceil(MIN_CACHED_UNIT), u8::MAX.into())?;
    let min_init = fits("min_init_gas", base.div_ceil(MIN_INIT_UNIT), u8::MAX.into())?;
    let pages_max = u64::from(table.provenance.chain.pages_max.0);
    let limit = pages_max.min(RAMP_PAGES);
    let declared = u64::from(table.provenance.chain.initial_pages_max.0);
    let exported = Line { base: min_cached * MIN_CACHED_UNIT, page: page_gas, beyond: Vec::new() };
    let mut notes =
        vec![format!("{}, the ramp of ArbOS not counted", rate.loss(charges, &exported, 1, limit.min(declared)))];
    notes.extend(dearer);
    if limit < pages_max {
        notes.push(format!("the page limit is {limit}, where the ramp of ArbOS ends, not the table's {pages_max}"));
    }
    if dearest != page {
        notes.push("a page costs what a grown one does, since ArbOS does not tell them apart".to_owned());
    }
    notes.push("min_init_gas holds the base alone: add what loading a program that is not cached costs".to_owned());
    let fields = [
        ("free_pages", 0),
        ("page_gas", page_gas),
        ("page_limit", limit),
        ("min_init_gas", min_init),
        ("min_cached_init_gas", min_cached),
        ("init_cost_scalar", SCALAR_ONE),
        ("cached_cost_scalar", SCALAR_ONE),
    ];
    Ok((fields.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect(), notes))
}

/// `ArbOS` keeps each in a few bits, and some of its setters take the largest for what is larger, which would be too little.
fn fits(field: &str, units: u64, most: u64) -> Result<u64, ParamsError> {
    if units > most {
        return Err(ParamsError::Export(format!(
            "{field} would be {} and holds {most} at most: is --gas-per-second this chain's?",
            Gas(units)
        )));
    }
    Ok(units)
}
