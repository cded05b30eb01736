//! The parameter table: gas for the memory of a call, each value beside its evidence.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::error::ParamsError;
use super::provenance::Provenance;
use super::section::{Section, root};
use crate::experiment::memory::{self, INITIAL_PAGES, TOUCHED_PAGES};
use crate::experiment::{EXPERIMENTS, Experiment, Parameter, Point, parameters};
use crate::model::Estimate;
use crate::text::read_text;
use crate::units::{Gas, Pages};
use crate::versioned::Source;

/// The parameter that every call pays for its memory.
pub const INIT_BASE: &str = memory::BASE.name;
/// The parameter for each page that the module declares.
pub const INIT_PER_PAGE: &str = memory::TERMS[0].parameter.name;
/// The parameter for each page that `memory.grow` adds.
pub const GROW_PER_PAGE: &str = memory::TERMS[1].parameter.name;

/// One parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Param {
    /// What is charged per unit.
    pub gas: Gas,
    /// What the gas is per, such as `gas per call`.
    pub unit: String,
    /// The estimated time in nanoseconds, before the safety factor.
    pub nanos: Estimate,
    /// The same in nanoseconds on a machine whose reference probe takes [`nominal_probe`](crate::model::nominal_probe), for
    /// comparing runs: it hardly moves when the machine as a whole is faster or slower.
    pub normalised: Option<Estimate>,
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
        root.only(&["format", "params", "provenance"])?;
        let section = root.section("params")?;
        let params = section
            .names()
            .map(|name| Ok((name.to_owned(), param(&section.section(name)?, name)?)))
            .collect::<Result<_, ParamsError>>()?;
        Ok(Self { params, provenance: Provenance::from_section(&root.section("provenance")?)? })
    }

    /// What a call pays that declares `initial` pages and grows its memory by `grown` more: as [`ParamTable::charge_of`].
    #[must_use]
    pub fn charge(&self, initial: Pages, grown: Pages) -> Option<Gas> {
        let touched = u64::from(initial.0) + u64::from(grown.0);
        self.charge_of(&Point::of_memory("", "", "", initial).with(&TOUCHED_PAGES, touched))
    }

    /// What a call with the levels of this point pays: for each experiment that the table has parameters of, the base and each
    /// term times its level.
    ///
    /// `None` where the chain forbids the size of the memory, if the table lacks a parameter that applies, or beyond [`Gas::MAX`].
    #[must_use]
    pub fn charge_of(&self, point: &Point) -> Option<Gas> {
        let chain = &self.provenance.chain;
        let most = point.level(&INITIAL_PAGES).max(point.level(&TOUCHED_PAGES));
        if point.initial_pages() > chain.initial_pages_max || most > u64::from(chain.pages_max.0) {
            return None;
        }
        let gas = |parameter: &Parameter| self.params.get(parameter.name).map(|param| param.gas);
        let priced =
            |experiment: &&Experiment| experiment.proposes && experiment.parameters().any(|of| gas(of).is_some());
        let of_experiment = |experiment: &Experiment| {
            let levels = experiment.terms.iter().map(|term| (&term.parameter, term.column.at(point)));
            let applying = levels.filter(|(_, level)| *level > 0);
            applying
                .map(|(parameter, level)| gas(parameter)?.checked_mul(level))
                .try_fold(gas(&experiment.base)?, |sum, of| sum.checked_add(of?))
        };
        let mut totals = EXPERIMENTS.into_iter().filter(priced).map(of_experiment).peekable();
        totals.peek()?;
        totals.try_fold(Gas(0), |sum, of| sum.checked_add(of?))
    }

    /// The parameters in the order of a table: those that experiments set, then others by name.
    pub fn in_order(&self) -> impl Iterator<Item = (&String, &Param)> {
        let known = parameters().filter_map(|known| self.params.get_key_value(known.name));
        known.chain(self.params.iter().filter(|(name, _)| known_unit(name).is_none()))
    }
}

fn param(section: &Section, name: &str) -> Result<Param, ParamsError> {
    section.only(&["gas", "unit", "nanos", "normalised", "model", "derivation"])?;
    let unit = section.text("unit")?;
    // A charge computed from a value in another unit would be wrong without a sign of it.
    if let Some(known) = known_unit(name).filter(|known| *known != unit) {
        return Err(section.fault("unit", format!("expected \"{known}\", found \"{unit}\"")));
    }
    Ok(Param {
        gas: Gas(section.integer("gas", 0..=Gas::MAX.0)?),
        unit,
        nanos: section.evidence("nanos")?,
        normalised: section.optional_evidence("normalised")?,
        model: section.text("model")?,
        derivation: section.text("derivation")?,
    })
}

/// The unit that a parameter must have, `None` if no experiment sets one of this name.
pub(super) fn known_unit(name: &str) -> Option<&'static str> {
    parameters().find(|known| known.name == name).map(|known| known.unit)
}
