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

use std::fmt;

use super::chain::WASM_PAGES_MAX;
use super::error::ParamsError;
use super::table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, ParamTable};
use crate::experiment::MEMORY;
use crate::units::Gas;

use rate::Rate;

/// A chain's own format: one file of this folder, and one line of [`EXPORTERS`].
pub struct Exporter {
    /// Its name on the command line.
    pub name: &'static str,
    /// Whose it is and what it looks like, for people.
    pub about: &'static str,
    /// What a second of execution is worth there unless somebody says so.
    pub worth: Worth,
    /// Whether it is JSON.
    pub is_json: bool,
    /// The parameters that it has a place for; `None` for any.
    places: Option<&'static [&'static str]>,
    export: fn(&ParamTable, Rate) -> Result<Export, ParamsError>,
    /// The change between two tables, if the format has a form for it.
    change: Option<ExportChange>,
}

/// Writes the change from one table to another.
type ExportChange = fn(&ParamTable, &ParamTable) -> Result<Export, ParamsError>;

/// What a second of execution is worth in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// What the table says.
    OfTheTable,
    /// What the format itself fixes, in its units of gas.
    Fixed(u64),
    /// Nothing says it: it must be given.
    Asked,
}

/// Every format.
pub static EXPORTERS: [&Exporter; 6] =
    [&near::NEAR, &substrate::SUBSTRATE, &soroban::SOROBAN, &fvm::FVM, &stylus::STYLUS, &json::JSON];

/// An exported table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The file.
    pub text: String,
    /// What whoever uses it should know: what rounding adds, what the format cannot say.
    pub notes: Vec<String>,
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Exporter {
    /// The format of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        EXPORTERS.into_iter().find(|exporter| exporter.name == name)
    }

    /// Exports a table for a chain on which a second of execution is worth `gas_per_second`; by default [`Exporter::worth`].
    ///
    /// # Errors
    ///
    /// [`ParamsError::Export`] if the table lacks a parameter, a charge does not fit into the format's fields, or that of a memory
    /// of as many pages as there can be does not fit into the consumer's integers; [`ParamsError::RateMissing`] if nothing says
    /// what a second is worth there.
    pub fn export(&self, table: &ParamTable, gas_per_second: Option<u64>) -> Result<Export, ParamsError> {
        let own = table.provenance.chain.gas_per_second;
        let known = match self.worth {
            Worth::OfTheTable => Some(own),
            Worth::Fixed(known) => Some(known),
            Worth::Asked => None,
        };
        let to = gas_per_second.or(known).ok_or_else(|| {
            ParamsError::RateMissing(format!(
                "this format does not say what a second of execution is worth: give --gas-per-second, {own} if the table's gas is \
                 this chain's, 7000000 for the speed limit of Arbitrum One"
            ))
        })?;
        let mut export = (self.export)(table, Rate { from: own, to })?;
        if let Some(places) = self.places {
            let others = table.params.keys().filter(|name| !places.contains(&name.as_str()));
            export.notes.extend(others.map(|name| format!("{name:?} has no place in this format and was left out")));
            if !table.params.contains_key(GROW_PER_PAGE) {
                export
                    .notes
                    .push(format!("the table has no {GROW_PER_PAGE}: pages that a contract grows are not charged"));
            }
        }
        Ok(export)
    }

    /// The change from one table to another in this format.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Export`] if the format has no form for changes, for a name that it cannot have, for two names of one table
    /// that would be the same there, for tables of different gas per second, and for charges that its consumer cannot count.
    pub fn change(&self, old: &ParamTable, new: &ParamTable) -> Result<Export, ParamsError> {
        let none = || ParamsError::Export(format!("{} has no form for changes", self.name));
        self.change.ok_or_else(none)?(old, new)
    }

    /// Whether the format has a form for the change from one table to another.
    #[must_use]
    pub const fn has_changes(&self) -> bool {
        self.change.is_some()
    }
}

/// The places of a format that has three: for the base, declared pages and grown pages.
const MEMORY_ALONE: Option<&[&str]> = Some(&[INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE]);

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
    let gas = |name: &str| table.params.get(name).map_or(Ok(0), |param| rate.up(param.gas, 1));
    let dearest =
        MEMORY.terms.iter().map(|term| gas(term.parameter.name)).try_fold(0, |most, of| of.map(|of| of.max(most)));
    countable(gas(MEMORY.base.name)?, dearest?, u64::MAX, whose)
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
