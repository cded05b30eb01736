//! A table in the format of a chain, rounded so that no charge is below the table's.
//!
//! The formats, their sources and what rounding costs are described in `docs/exports.md`.

mod fvm;
mod json;
mod near;
mod rate;
mod soroban;
mod stylus;
mod substrate;

use super::chain::WASM_PAGES_MAX;
use super::error::ParamsError;
use super::table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, ParamTable, known_unit};
use crate::units::Gas;

pub use near::export_near_change;

use rate::Rate;

/// Whose format a table is exported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Runtime parameters of nearcore, YAML.
    Near,
    /// A FRAME weights file, Rust.
    Substrate,
    /// Cost parameters of a Soroban network, JSON for `stellar-xdr`.
    Soroban,
    /// Prices of the Filecoin virtual machine, Rust.
    Fvm,
    /// Stylus parameters of an Arbitrum chain, JSON.
    Stylus,
    /// Everything, for other programs.
    Json,
}

/// An exported table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The file.
    pub text: String,
    /// What whoever uses it should know: what rounding adds, what the format cannot say.
    pub notes: Vec<String>,
}

/// Exports a table for a chain on which a second of execution is worth `gas_per_second`; by default what the table says for
/// NEAR and JSON, and what the format itself fixes for Substrate and FVM.
///
/// # Errors
///
/// [`ParamsError::Export`] if the table lacks a parameter, a charge does not fit into the format's fields, or that of a memory of
/// as many pages as there can be does not fit into the consumer's integers; [`ParamsError::RateMissing`] if nothing says what a
/// second is worth there.
pub fn export(table: &ParamTable, target: Target, gas_per_second: Option<u64>) -> Result<Export, ParamsError> {
    let own = table.provenance.chain.gas_per_second;
    let to = |known: Option<u64>| {
        gas_per_second.or(known).ok_or_else(|| {
            ParamsError::RateMissing(format!(
                "this format does not say what a second of execution is worth: give --gas-per-second, {own} if the table's gas \
                 is this chain's, 7000000 for the speed limit of Arbitrum One"
            ))
        })
    };
    let rate = |known| Ok::<_, ParamsError>(Rate { from: own, to: to(known)? });
    let mut export = match target {
        Target::Near => near::export(table, rate(Some(own))?),
        Target::Json => json::export(table, rate(Some(own))?),
        Target::Substrate => substrate::export(table, rate(Some(substrate::REF_TIME_PER_SECOND))?),
        Target::Fvm => fvm::export(table, rate(Some(fvm::GAS_PER_SECOND))?),
        Target::Soroban => soroban::export(table, rate(None)?),
        Target::Stylus => stylus::export(table, rate(None)?),
    }?;
    if !matches!(target, Target::Near | Target::Json) {
        let others = table.params.keys().filter(|name| known_unit(name).is_none());
        export.notes.extend(others.map(|name| format!("{name:?} has no place in this format and was left out")));
        if !table.params.contains_key(GROW_PER_PAGE) {
            export.notes.push(format!("the table has no {GROW_PER_PAGE}: pages that a contract grows are not charged"));
        }
    }
    Ok(export)
}

/// Makes sure that the consumer, whose sums go up to `most`, can count every call, up to the most pages that a memory can have: what it
/// does beyond that, staying at its largest number or wrapping, would be too little. All in the consumer's units.
fn countable(base: u64, dearest_page: u64, most: u64, whose: &str) -> Result<(), ParamsError> {
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
fn countable_as_it_is(table: &ParamTable, rate: Rate, whose: &str) -> Result<(), ParamsError> {
    let gas = |name| table.params.get(name).map_or(Ok(0), |param| rate.up(param.gas, 1));
    countable(gas(INIT_BASE)?, gas(INIT_PER_PAGE)?.max(gas(GROW_PER_PAGE)?), u64::MAX, whose)
}

/// The charges of a table, as far as exports need them.
#[derive(Clone, Copy)]
struct Charges {
    base: Gas,
    page: Gas,
    grow: Option<Gas>,
}

impl Charges {
    fn of(table: &ParamTable) -> Result<Self, ParamsError> {
        let gas = |name| table.params.get(name).map(|param| param.gas);
        let needed = |name| gas(name).ok_or_else(|| ParamsError::Export(format!("the table has no {name}")));
        Ok(Self { base: needed(INIT_BASE)?, page: needed(INIT_PER_PAGE)?, grow: gas(GROW_PER_PAGE) })
    }
}

/// Where the numbers come from and what speaks against them, in lines for comments.
fn origin(table: &ParamTable, rate: Rate) -> Vec<String> {
    let provenance = &table.provenance;
    let run = &provenance.run;
    let mut lines = vec![
        format!("Exported by estimator {} from run {} of {}.", env!("CARGO_PKG_VERSION"), run.run, run.date),
        format!("Machine {}: {}; Wasmtime {}; contract set {}.", run.machine, run.cpu, run.wasmtime, run.contract_set),
        format!("Time was multiplied by {} for safety and rounded up.", provenance.chain.safety_factor),
    ];
    if rate.from != rate.to {
        lines.push(format!("The table's {} gas per second became {}.", Gas(rate.from), Gas(rate.to)));
    }
    lines.extend(table.objections().iter().map(|objection| format!("Objection: {objection}.")));
    // A text of the table must not end the comment that it stands in; YAML 1.1 has more line ends than others.
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    lines.iter().map(|line| line.replace(ends, " ")).collect()
}

fn commented(prefix: &str, lines: &[String]) -> String {
    lines.iter().flat_map(|line| [prefix, " ", line, "\n"]).collect()
}
