//! The parameter table: gas for the memory of a call, each value beside its evidence.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::ParamsError;
use super::provenance::Provenance;
use super::section::{Section, Source};
use crate::model::Estimate;
use crate::text::read_text;
use crate::units::{Gas, Pages};

/// The parameter that every call pays for its memory.
pub const INIT_BASE: &str = "memory_init_base";
/// The parameter for each page that the module declares.
pub const INIT_PER_PAGE: &str = "memory_init_per_page";
/// The parameter for each page that `memory.grow` adds.
pub const GROW_PER_PAGE: &str = "memory_grow_per_page";

/// The parameters that [`ParamTable::charge`] knows, with their units, in the order of a table.
pub(super) const KNOWN: [(&str, &str); 3] = [
    (INIT_BASE, "gas per call"),
    (INIT_PER_PAGE, "gas per initial page of 64 KiB"),
    (GROW_PER_PAGE, "gas per grown page of 64 KiB"),
];

/// Whether the numbers are finite, the value not negative and the ends in order; otherwise what is wrong.
///
/// What else a table says against itself is for [`ParamTable::objections`].
pub(super) fn check(estimate: &Estimate) -> Result<(), String> {
    let Estimate { value, low, high } = *estimate;
    if !estimate.is_finite() {
        Err(format!("value {value}, low {low} and high {high} must be finite"))
    } else if value < 0.0 {
        Err(format!("the value {value} is negative"))
    } else if low > high {
        Err(format!("the interval's low {low} is above its high {high}"))
    } else {
        Ok(())
    }
}

/// Whether the two intervals have a point in common.
pub(super) fn overlap(one: &Estimate, other: &Estimate) -> bool {
    one.low <= other.high && other.low <= one.high
}

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
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
        let text = read_text(file).map_err(|source| ParamsError::Read { file: file.into(), source })?;
        Self::parse(&text, file)
    }

    /// Reads a table from a text; `file` is named in errors.
    ///
    /// # Errors
    ///
    /// [`ParamsError::NewerFormat`] for a later format; [`ParamsError::Format`], with place and key, for anything else
    /// that breaks the format.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ParamsError> {
        let source = Source { file, text };
        let document = source.parse()?;
        let root = source.root(&document)?;
        root.only(&["format", "params", "provenance"])?;
        let section = root.section("params")?;
        let params = section
            .names()
            .map(|name| Ok((name.to_owned(), param(&section.section(name)?, name)?)))
            .collect::<Result<_, ParamsError>>()?;
        Ok(Self { params, provenance: Provenance::from_section(&root.section("provenance")?)? })
    }

    /// What a call pays that declares `initial` pages and grows its memory by `grown` more.
    ///
    /// `None` where the chain forbids the size, if the table lacks a parameter that applies, or beyond [`Gas::MAX`].
    #[must_use]
    pub fn charge(&self, initial: Pages, grown: Pages) -> Option<Gas> {
        let chain = &self.provenance.chain;
        let total = initial.0.checked_add(grown.0)?;
        if initial > chain.initial_pages_max || total > chain.pages_max.0 {
            return None;
        }
        let gas = |name| self.params.get(name).map(|param| param.gas);
        let declared = gas(INIT_BASE)?.checked_add(gas(INIT_PER_PAGE)?.checked_mul(initial.0.into())?)?;
        match grown {
            Pages(0) => Some(declared),
            Pages(count) => declared.checked_add(gas(GROW_PER_PAGE)?.checked_mul(count.into())?),
        }
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

/// The unit that a parameter must have, `None` if its name is not one of [`KNOWN`].
pub(super) fn known_unit(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| *known == name).map(|&(_, unit)| unit)
}
