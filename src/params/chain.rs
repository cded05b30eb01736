//! The settings of the chain: `params/chain.toml`.

use std::path::Path;

use super::decimal::Decimal;
use super::error::ParamsError;
use super::node::{node, validator};
use super::section::{Section, root};
use crate::experiment::memory::{PER_GROWN_PAGE, PER_PAGE, TERMS};
use crate::experiment::{Column, Experiment, Levels, Term, find_term};
use crate::model::{ParseStatisticError, Statistic};
use crate::runtime::Known;
use crate::text::read_text;
use crate::units::{Bytes, GasUnit, Pages, WASM_PAGE};
use crate::versioned::{Faults, Source, VersionedError};

/// Pages that a 32-bit memory can have
/// ([core specification](https://webassembly.github.io/spec/core/valid/types.html#memory-types)).
pub(super) const WASM_PAGES_MAX: u32 = 65_536;

/// The largest memory in bytes.
const KEPT_MAX: Bytes = Bytes(1 << 32);

/// The most memories of a pool: each takes some 4 GiB of address space, of which a process has 128 TiB.
const SLOTS_MAX: u32 = 1000;

/// How a file says that a pool keeps all of a memory.
pub(super) const KEEP_ALL: &str = "all";

/// What gas is worth on a chain and what its node runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainSettings {
    /// Gas per second of execution, from 1 to 10^18. NEAR: 10^15, one gas per femtosecond.
    pub gas_per_second: u64,
    /// Multiplies every measured time, from 1 to 1000 with at most three decimals.
    pub safety_factor: f64,
    /// The most pages that a contract may declare.
    pub initial_pages_max: Pages,
    /// The most pages that a memory may grow to, at least `initial_pages_max`.
    pub pages_max: Pages,
    /// The reset strategy that the node runs, by its name in kebab case. A chain file has one that exists, a table of another version need not.
    pub strategy: String,
    /// What a pool of memories keeps of each between calls; `None` for all of it. Only strategies of a pool heed it.
    pub keep_resident: Option<Bytes>,
    /// Memories of a pool, at least 1.
    pub pool_slots: u32,
    /// The statistic that is priced at each point.
    pub statistic: Statistic,
    /// What is charged for beside the base: the declared page, and what else the chain can count. Growth is always charged for.
    pub terms: Vec<&'static Term>,
    /// What a charge is above the cost that it covers, as a share from 0 to 1 with at most three decimals.
    pub margin: f64,
    /// The widest simultaneous band with which a run may be signed, as a share above 0 up to 1.
    pub noise_limit: f64,
    /// Significant digits that gas is rounded up to, from 1 to 10.
    pub significant_digits: u32,
    /// The unit in which people read gas; `None` for all its digits.
    pub gas_unit: Option<GasUnit>,
    /// The process that a call meets on the node: levels of [`PROPERTIES`](crate::experiment::node::PROPERTIES).
    /// A file that does not say means some of what a validator has.
    pub node: Levels,
}

impl Default for ChainSettings {
    /// NEAR's figures, those of [`ChainSettings::DEFAULT_TEXT`].
    fn default() -> Self {
        Self {
            gas_per_second: 1_000_000_000_000_000,
            safety_factor: 3.0,
            initial_pages_max: Pages(1024),
            pages_max: Pages(2048),
            strategy: "fresh-map".into(),
            keep_resident: None,
            pool_slots: 1,
            statistic: Statistic::Median,
            terms: vec![&PER_PAGE],
            margin: 0.05,
            noise_limit: 0.06,
            significant_digits: 3,
            gas_unit: GasUnit::new("Tgas", 1_000_000_000_000),
            node: validator(),
        }
    }
}

impl ChainSettings {
    /// The sizes at which charges are shown: those of `common` that a contract may declare, and the largest that it may.
    #[must_use]
    pub fn sizes(&self, common: &[Pages]) -> Vec<Pages> {
        let largest = self.initial_pages_max;
        common.iter().copied().filter(|&pages| pages < largest).chain([largest]).collect()
    }

    /// The shipped `params/chain.toml`, to be used where no file is.
    pub const DEFAULT_TEXT: &str = include_str!("../../params/chain.toml");

    /// The keys, in the order of the file.
    pub(super) const KEYS: [&str; 14] = [
        "gas_per_second",
        "safety_factor",
        "initial_pages_max",
        "pages_max",
        "strategy",
        "keep_resident",
        "pool_slots",
        "statistic",
        "terms",
        "margin",
        "noise_limit",
        "significant_digits",
        "gas_unit",
        "node",
    ];

    /// The strategy with what is set of its pool, for people and to tell series apart: `pool-keep-resident (1 MiB kept, 8 slots)`.
    #[must_use]
    pub fn strategy_in_full(&self) -> String {
        let kept = self.keep_resident.map(|kept| format!("{kept} kept"));
        let slots = (self.pool_slots > 1).then(|| format!("{} slots", self.pool_slots));
        let said: Vec<String> = kept.into_iter().chain(slots).collect();
        if said.is_empty() || !self.strategy.starts_with("pool-") {
            return self.strategy.clone();
        }
        format!("{} ({})", self.strategy, said.join(", "))
    }

    /// Pages that a pool keeps, if declared pages beyond them are given back and so cost otherwise.
    #[must_use]
    pub fn kept_pages(&self) -> Option<u32> {
        const KEEPING: [&str; 2] = ["pool-keep-resident", "pool-pagemap-scan"];
        let pages = u32::try_from(self.keep_resident?.0 / WASM_PAGE).ok()?;
        (KEEPING.contains(&self.strategy.as_str()) && (1..self.initial_pages_max.0).contains(&pages)).then_some(pages)
    }

    /// Whether costs are made to gas alike: the unit in which people read it does not count.
    #[must_use]
    pub fn charges_like(&self, other: &Self) -> bool {
        *self == Self { gas_unit: self.gas_unit.clone(), ..other.clone() }
    }

    /// Whether a call pays for a term, if it has any of it.
    #[must_use]
    pub fn charges_for(&self, term: &Term) -> bool {
        !is_to_choose(term) || *term == PER_GROWN_PAGE || self.terms.iter().any(|charged| charged.name == term.name)
    }

    /// What it charges for in an experiment, each once, the experiment's leading term first.
    #[must_use]
    pub fn terms_of(&self, experiment: &Experiment) -> Vec<&'static Term> {
        let further = if experiment.terms.iter().any(|term| is_to_choose(term)) { &self.terms[..] } else { &[] };
        let mut charged: Vec<&'static Term> = Vec::new();
        for &term in experiment.terms.iter().chain(further).filter(|term| self.charges_for(term)) {
            if !charged.contains(&term) {
                charged.push(term);
            }
        }
        charged
    }

    /// Reads the settings from `file`.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Read`] if the file cannot be read, or as for [`ChainSettings::parse`].
    pub fn load(file: &Path) -> Result<Self, ParamsError> {
        let text = read_text(file).map_err(ParamsError::read(file))?;
        Self::parse(&text, file)
    }

    /// Reads the settings from a text; `file` is named in errors.
    ///
    /// # Errors
    ///
    /// [`ParamsError::Format`], with place and key, for what breaks the format, and for a later one.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ParamsError> {
        let source = Source { file, text };
        let document = source.parse()?;
        let root = root(source, &document)?;
        let mut keys = vec!["format"];
        keys.extend(Self::KEYS);
        let mut faults = Faults::of(root.unknown(&keys));
        if let Ok(strategy) = root.text("strategy")
            && is_name(&strategy)
            && Known::named(&strategy).is_none()
        {
            let reason = format!("`{strategy}` is no strategy: use one of {}", Known::names());
            faults.without::<()>(Err(root.fault("strategy", reason)));
        }
        Ok(Self::read(&root, faults)?)
    }

    /// Reads the settings from a section of a table.
    pub(super) fn from_section(section: &Section) -> Result<Self, VersionedError> {
        Self::read(section, Faults::of(section.unknown(&Self::KEYS)))
    }

    fn read(section: &Section, mut faults: Faults) -> Result<Self, VersionedError> {
        let gas_per_second = faults.without(section.integer("gas_per_second", 1..=1_000_000_000_000_000_000));
        let safety_factor = faults.without(safety_factor(section));
        let initial_pages_max = faults.without(section.integer("initial_pages_max", 1..=WASM_PAGES_MAX));
        // What depends on a limit that is at fault is held against none.
        let pages_max = faults.without(pages_max(section, initial_pages_max.unwrap_or(1)));
        let strategy = faults.without(strategy(section));
        let keep_resident = faults.without(keep_resident(section));
        let pool_slots = if section.has("pool_slots") { section.integer("pool_slots", 1..=SLOTS_MAX) } else { Ok(1) };
        let pool_slots = faults.without(pool_slots);
        let statistic = faults.without(statistic(section));
        let terms = faults.without(terms(section, initial_pages_max.unwrap_or(WASM_PAGES_MAX)));
        let margin = faults.without(share(section, "margin", 0.0));
        let noise_limit = faults.without(share(section, "noise_limit", 0.001));
        let significant_digits = faults.without(section.integer("significant_digits", 1..=10));
        let gas_unit = section.has("gas_unit").then(|| gas_unit(section)).transpose();
        let gas_unit = faults.without(gas_unit);
        let node = if section.has("node") { section.section("node").and_then(|of| node(&of)) } else { Ok(validator()) };
        let node = faults.without(node);
        let settings = || {
            Some(Self {
                gas_per_second: gas_per_second?,
                safety_factor: safety_factor?,
                initial_pages_max: Pages(initial_pages_max?),
                pages_max: Pages(pages_max?),
                strategy: strategy?,
                keep_resident: keep_resident?,
                pool_slots: pool_slots?,
                statistic: statistic?,
                terms: terms?,
                margin: margin?,
                noise_limit: noise_limit?,
                significant_digits: significant_digits?,
                gas_unit: gas_unit?,
                node: node?,
            })
        };
        faults.or(settings())
    }
}

fn pages_max(section: &Section, initial_pages_max: u32) -> Result<u32, VersionedError> {
    let pages = section.integer("pages_max", 1..=WASM_PAGES_MAX)?;
    if pages < initial_pages_max {
        let reason = format!("{pages} is below `initial_pages_max`, which is {initial_pages_max}: set both");
        return Err(section.fault("pages_max", reason));
    }
    Ok(pages)
}

fn safety_factor(section: &Section) -> Result<f64, VersionedError> {
    let factor = section.number("safety_factor")?;
    // Three decimals keep the product with the other factors within 128 bits, so that it is exact.
    if !(1.0..=1000.0).contains(&factor) || Decimal::new(factor).is_none_or(|decimal| decimal.exponent < -3) {
        let reason = format!("{factor} is not from 1 to 1000 with at most three decimals");
        return Err(section.fault("safety_factor", reason));
    }
    Ok(factor)
}

fn strategy(section: &Section) -> Result<String, VersionedError> {
    let strategy = section.text("strategy")?;
    if !is_name(&strategy) {
        return Err(section.fault("strategy", format!("`{strategy}` is not a name such as `fresh-map`")));
    }
    Ok(strategy)
}

fn is_name(strategy: &str) -> bool {
    let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !strategy.is_empty() && strategy.chars().all(is_kebab)
}

/// What a pool keeps: a size, or all that there is, which a file that does not say means.
fn keep_resident(section: &Section) -> Result<Option<Bytes>, VersionedError> {
    let key = "keep_resident";
    if !section.has(key) {
        return Ok(None);
    }
    if section.is_integer(key) {
        return Ok(Some(Bytes(section.integer(key, 0..=KEPT_MAX.0)?)));
    }
    let text = section.text(key)?;
    if text == KEEP_ALL {
        return Ok(None);
    }
    let size: Bytes =
        text.parse().map_err(|error| section.fault(key, format!("{error}; or \"{KEEP_ALL}\" for all of it")))?;
    if size > KEPT_MAX {
        return Err(section.fault(key, format!("{size} is more than the {KEPT_MAX} of the largest memory")));
    }
    Ok(Some(size))
}

fn statistic(section: &Section) -> Result<Statistic, VersionedError> {
    section.text("statistic")?.parse().map_err(|error: ParseStatisticError| section.fault("statistic", error))
}

fn gas_unit(section: &Section) -> Result<GasUnit, VersionedError> {
    let unit = section.braces("gas_unit", "expected `{ name = …, gas = … }`")?;
    unit.only(&["name", "gas"])?;
    let (name, gas) = (unit.text("name")?, unit.integer("gas", 1..=1_000_000_000_000_000_000)?);
    GasUnit::new(&name, gas).ok_or_else(|| {
        let reason = "write a name of at most 16 letters and digits and a power of ten: { name = \"Tgas\", gas = 1_000_000_000_000 }";
        section.fault("gas_unit", reason)
    })
}

/// What is charged for: each term once, the page among them and first, and no tier beyond what may be declared.
fn terms(section: &Section, initial_pages_max: u32) -> Result<Vec<&'static Term>, VersionedError> {
    let fault = |reason: String| section.fault("terms", reason);
    let mut terms: Vec<&'static Term> = Vec::new();
    for name in section.texts("terms")? {
        let known = TERMS.iter().map(|term| term.name).collect::<Vec<_>>().join(", ");
        let unknown =
            || fault(format!("`{name}` is not a term: there are {known} and page_beyond_N, such as page_beyond_16"));
        let term = find_term(&name).filter(|term| is_to_choose(term)).ok_or_else(unknown)?;
        if matches!(term.column, Column::Beyond(_, pages) if pages >= initial_pages_max.into()) {
            return Err(fault(format!(
                "`{name}` is beyond `initial_pages_max`, {initial_pages_max}: no call would pay for it"
            )));
        }
        if terms.contains(&term) {
            return Err(fault(format!("`{name}` is named twice")));
        }
        terms.push(term);
    }
    if terms.first() != Some(&&PER_PAGE) {
        return Err(fault(format!("the first term must be `{}`, which every chain charges for", PER_PAGE.name)));
    }
    Ok(terms)
}

/// Whether it is for the chain to say if a term is charged for: those of a memory are, beside growth.
fn is_to_choose(term: &Term) -> bool {
    TERMS.contains(&term) || matches!(term.column, Column::Beyond(..))
}

/// A share from `least` to 1. Three decimals are enough to write it.
fn share(section: &Section, key: &str, least: f64) -> Result<f64, VersionedError> {
    let share = section.number(key)?;
    if !(least..=1.0).contains(&share) || Decimal::new(share).is_none_or(|decimal| decimal.exponent < -3) {
        let reason =
            format!("{share} is not a share from {least} to 1 with at most three decimals: write 0.05 for 5 %");
        return Err(section.fault(key, reason));
    }
    Ok(share)
}
