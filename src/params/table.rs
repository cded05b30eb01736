//! The parameter table: gas for the memory of a call, each value beside its evidence.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::error::ParamsError;
use super::provenance::Provenance;
use super::section::{Section, root};
use crate::experiment::memory::{self, INITIAL_PAGES, TOUCHED_PAGES};
use crate::experiment::{
    Column, EXPERIMENTS, Experiment, MEMORY, Parameter, Point, Term, parameters, term_of_parameter,
};
use crate::model::Estimate;
use crate::text::read_text;
use crate::units::{Gas, Pages};
use crate::versioned::{Faults, Source, VersionedError};

/// The parameter that every call pays for its memory.
pub const INIT_BASE: &str = memory::BASE.name;
/// The parameter for each page that the module declares.
pub const INIT_PER_PAGE: &str = memory::PER_PAGE.parameter.name;
/// The parameter for each page that `memory.grow` adds.
pub const GROW_PER_PAGE: &str = memory::PER_GROWN_PAGE.parameter.name;

/// One parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Param {
    /// What is charged per unit.
    pub gas: Gas,
    /// What the gas is per, such as `gas per call`.
    pub unit: String,
    /// The estimated time in nanoseconds on the reference machine, before the safety factor.
    pub nanos: Estimate,
    /// What it would be by the times as measured, which go with the machine and its hour; `None` where that is what `nanos` are.
    pub measured: Option<Estimate>,
    /// The model behind the estimate, for readers.
    pub model: String,
    /// How the gas follows from the time, for readers.
    pub derivation: String,
}

/// A table of parameters with its provenance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParamTable {
    /// The parameters by name.
    pub params: BTreeMap<String, Param>,
    /// Where they came from.
    pub provenance: Provenance,
}

impl ParamTable {
    /// Reads a table from `file`.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Read`] if the file cannot be read, or as for [`ParamTable::parse`].
    pub fn load(file: &Path) -> Result<Self, ParamsError> {
        let text = read_text(file).map_err(ParamsError::read(file))?;
        Self::parse(&text, file)
    }

    /// Reads a table from a text; `file` is named in errors.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Format`], with place and key, for what breaks the format, and for a later one.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ParamsError> {
        let source = Source { file, text };
        let document = source.parse()?;
        let root = root(source, &document)?;
        let mut faults = Faults::of(root.unknown(&["format", "params", "provenance"]));
        let mut params = BTreeMap::new();
        if let Some(section) = faults.without(root.section("params")) {
            for name in section.names() {
                let read = faults.without(section.section(name).and_then(|section| param(&section, name)));
                params.extend(read.map(|param| (name.to_owned(), param)));
            }
        }
        let provenance = root.section("provenance").and_then(|section| Provenance::from_section(&section));
        let provenance = faults.without(provenance);
        Ok(faults.or(provenance.map(|provenance| Self { params, provenance }))?)
    }

    /// What a call pays that declares `initial` pages and grows its memory by `grown` more: as [`ParamTable::charge_of`], and `None` by a
    /// table that prices no memory.
    #[must_use]
    pub fn charge(&self, initial: Pages, grown: Pages) -> Option<Gas> {
        let touched = u64::from(initial.0) + u64::from(grown.0);
        if !self.prices(&MEMORY) {
            return None;
        }
        self.charge_of(&Point::of_memory("", "", "", initial).with(&TOUCHED_PAGES, touched))
    }

    /// What a call with the levels of this point pays: for each experiment that the table has parameters of, the base and each
    /// term of the table times its level.
    ///
    /// `None` where the chain forbids the size of the memory, if the table lacks a parameter that applies and that the chain charges
    /// for, or beyond [`Gas::MAX`].
    #[must_use]
    pub fn charge_of(&self, point: &Point) -> Option<Gas> {
        let chain = &self.provenance.chain;
        let most = point.level(&INITIAL_PAGES).max(point.level(&TOUCHED_PAGES));
        if point.initial_pages() > chain.initial_pages_max || most > u64::from(chain.pages_max.0) {
            return None;
        }
        let gas = |parameter: &Parameter| self.params.get(parameter.name).map(|param| param.gas);
        let priced = |experiment: &&Experiment| self.prices(experiment);
        let lacking = |term: &&Term| chain.charges_for(term) && gas(&term.parameter).is_none();
        let mut bases = EXPERIMENTS.into_iter().filter(priced).map(|experiment| gas(&experiment.base)).peekable();
        bases.peek()?;
        if EXPERIMENTS
            .into_iter()
            .filter(priced)
            .flat_map(|of| of.terms)
            .chain(&chain.terms)
            .any(|term| lacking(term) && term.level(point) > 0.0)
        {
            return None;
        }
        let bases = bases.try_fold(Gas(0), |sum, base| sum.checked_add(base?))?;
        self.terms().try_fold(bases, |sum, (term, param)| sum.checked_add(term.charge(param.gas, point)?))
    }

    /// Whether it has a parameter that this experiment sets.
    #[must_use]
    pub fn prices(&self, experiment: &Experiment) -> bool {
        experiment.proposes && experiment.parameters().any(|parameter| self.params.contains_key(parameter.name))
    }

    /// What it charges for beside the base, with the parameter of each.
    pub fn terms(&self) -> impl Iterator<Item = (&'static Term, &Param)> {
        self.params.iter().filter_map(|(name, param)| Some((term_of_parameter(name)?, param)))
    }

    /// The parameters in the order of a table: those that experiments set, tiers by their pages, then others by name.
    pub fn in_order(&self) -> impl Iterator<Item = (&String, &Param)> {
        let known = parameters().filter_map(|known| self.params.get_key_value(known.name));
        let set_here = |name: &str| parameters().any(|known| known.name == name);
        let mut others: Vec<_> = self.params.iter().filter(|(name, _)| !set_here(name)).collect();
        let tier = |name: &str| match term_of_parameter(name)?.column {
            Column::Beyond(_, pages) => Some(pages),
            _ => None,
        };
        others.sort_by_key(|(name, _)| (tier(name).unwrap_or(u64::MAX), *name));
        known.chain(others)
    }
}

fn param(section: &Section, name: &str) -> Result<Param, VersionedError> {
    let mut faults = Faults::of(section.unknown(&["gas", "unit", "nanos", "measured", "model", "derivation"]));
    let gas = faults.without(section.integer("gas", 0..=Gas::MAX.0));
    let unit = faults.without(unit(section, name));
    let nanos = faults.without(section.evidence("nanos"));
    let measured = faults.without(section.optional_evidence("measured"));
    let model = faults.without(section.text("model"));
    let derivation = faults.without(section.text("derivation"));
    let param = || {
        let gas = Gas(gas?);
        Some(Param { gas, unit: unit?, nanos: nanos?, measured: measured?, model: model?, derivation: derivation? })
    };
    faults.or(param())
}

fn unit(section: &Section, name: &str) -> Result<String, VersionedError> {
    let unit = section.text("unit")?;
    // A charge computed from a value in another unit would be wrong without a sign of it.
    if let Some(known) = known_unit(name).filter(|known| *known != unit) {
        return Err(section.fault("unit", format!("expected \"{known}\", found \"{unit}\"")));
    }
    Ok(unit)
}

/// The unit that a parameter must have, `None` if no experiment sets one of this name.
pub(super) fn known_unit(name: &str) -> Option<&'static str> {
    let known = parameters().find(|known| known.name == name);
    known.or_else(|| term_of_parameter(name).map(|term| &term.parameter)).map(|known| known.unit)
}
