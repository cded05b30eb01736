use std::fmt;

use super::charges::beyond;
use super::rate::Rate;
use crate::experiment::{EXPERIMENTS, Experiment, MEMORY, term_of_parameter};
use crate::params::error::ParamsError;
use crate::params::table::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE, ParamTable};

/// A chain's own format: one file of this folder, and one line of [`EXPORTERS`](super::EXPORTERS).
pub struct Exporter {
    /// Its name on the command line.
    pub name: &'static str,
    /// Whose it is and what it looks like, for people.
    pub about: &'static str,
    /// What a second of execution is worth there unless somebody says so.
    pub worth: Worth,
    /// Whether it is JSON.
    pub is_json: bool,
    /// Whether it has a place for the parameter of this name; `None` if it has one for any.
    pub(super) has_place: Option<fn(&str) -> bool>,
    pub(super) export: fn(&ParamTable, Rate) -> Result<Export, ParamsError>,
    /// The change between two tables, if the format has a form for it.
    pub(super) change: Option<ExportChange>,
}

/// Whether a parameter is of a memory, and one of those that every format has a place for: the base, declared pages, those beyond a number, and
/// grown pages.
pub(super) fn of_memory(name: &str) -> bool {
    [INIT_BASE, INIT_PER_PAGE, GROW_PER_PAGE].contains(&name) || beyond(name).is_some()
}

/// Whether it is one of these, or of what else is charged for than a memory.
pub(super) fn of_any(name: &str) -> bool {
    let of = |experiment: &Experiment| experiment.parameters().any(|parameter| parameter.name == name);
    of_memory(name)
        || EXPERIMENTS.into_iter().any(|experiment| *experiment != MEMORY && experiment.proposes && of(experiment))
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
    /// Exports a table for a chain on which a second of execution is worth `gas_per_second`; by default [`Exporter::worth`].
    ///
    /// # Errors
    ///
    /// [`ParamsError::Export`] if the table lacks a parameter, or has none that the format has a place for, a charge does not fit into the format's fields, or that of a memory
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
        let others: Vec<&String> =
            table.params.keys().filter(|name| self.has_place.is_some_and(|has_place| !has_place(name))).collect();
        if !others.is_empty() && others.len() == table.params.len() {
            let names: Vec<String> = others.iter().map(|name| format!("{name:?}")).collect();
            return Err(ParamsError::Export(format!("{} has no place for {}", self.name, names.join(", "))));
        }
        let mut export = (self.export)(table, Rate { from: own, to })?;
        let left_out = |name: &String| match term_of_parameter(name) {
            Some(_) => {
                format!("{name:?} has no place in this format and was left out: calls that have it pay too little")
            }
            None => format!("{name:?} has no place in this format and was left out"),
        };
        export.notes.extend(others.into_iter().map(left_out));
        if self.has_place.is_some() && table.prices(&MEMORY) && !table.params.contains_key(GROW_PER_PAGE) {
            export.notes.push(format!("the table has no {GROW_PER_PAGE}: pages that a contract grows are not charged"));
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
