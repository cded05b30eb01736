//! Where the numbers of a table came from.

use std::collections::BTreeMap;

use super::chain::ChainSettings;
use super::error::ParamsError;
use super::reference_facts::ReferenceFacts;
use super::section::Section;

/// The class of a machine that does not say what it is. It is like no other, nor like itself.
pub const UNKNOWN_MACHINE: &str = "unknown";

/// The run behind a table and the settings that priced it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Provenance {
    /// The run.
    pub run: RunFacts,
    /// The machine that the times are stated on; `None` where they are as measured.
    pub reference: Option<ReferenceFacts>,
    /// The settings that turned its times into gas.
    pub chain: ChainSettings,
}

/// What a table records of its run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// The run's name, that of its folder.
    pub run: String,
    /// When it began, in RFC 3339.
    pub date: String,
    /// The seed of its plan.
    pub seed: u64,
    /// The machine class ([`Fingerprint::class`](crate::host::Fingerprint::class)), or [`UNKNOWN_MACHINE`].
    pub machine: String,
    /// The machine in a line for readers.
    pub cpu: String,
    /// Hash of the contracts that were measured.
    pub contract_set: String,
    /// Version of estimator.
    pub estimator: String,
    /// Version of Wasmtime.
    pub wasmtime: String,
    /// What the worst case touched.
    pub worst_case: String,
    /// Why the measuring stopped.
    pub stop_reason: String,
    /// What a reviewer should know: warnings and decisions.
    pub notes: Vec<String>,
    /// Contracts that were left out, each with the reason.
    pub skipped: Vec<String>,
    /// Why the run is too noisy to sign; empty if it is not.
    pub unsigned: Vec<String>,
    /// The largest measured level of each factor of a module that the charge goes by, by the factor's name; empty for a charge of memory.
    pub measured_up_to: BTreeMap<String, u64>,
}

/// The keys of `[provenance]`, in the order of the file.
const KEYS: [&str; 16] = [
    "run",
    "date",
    "seed",
    "machine",
    "cpu",
    "contract_set",
    "estimator",
    "wasmtime",
    "worst_case",
    "stop_reason",
    "notes",
    "skipped",
    "unsigned",
    "measured_up_to",
    "reference",
    "chain",
];

/// The sections within `[provenance]`.
pub(super) const PARTS: [&str; 3] = ["measured_up_to", "reference", "chain"];

impl RunFacts {
    /// Adds what another run left out.
    pub fn skips(&mut self, left_out: &[String]) {
        for one in left_out {
            if !self.skipped.contains(one) {
                self.skipped.push(one.clone());
            }
        }
    }
}

impl Provenance {
    pub(super) fn from_section(section: &Section) -> Result<Self, ParamsError> {
        section.only(&KEYS)?;
        let chain = section.section("chain")?;
        chain.only(&ChainSettings::KEYS)?;
        let run = RunFacts {
            run: section.text("run")?,
            date: section.text("date")?,
            seed: seed(section)?,
            machine: section.text("machine")?,
            cpu: section.text("cpu")?,
            contract_set: section.text("contract_set")?,
            estimator: section.text("estimator")?,
            wasmtime: section.text("wasmtime")?,
            worst_case: section.text("worst_case")?,
            stop_reason: section.text("stop_reason")?,
            notes: section.texts("notes")?,
            skipped: section.texts("skipped")?,
            unsigned: if section.has("unsigned") { section.texts("unsigned")? } else { Vec::new() },
            measured_up_to: if section.has("measured_up_to") {
                levels(&section.section("measured_up_to")?)?
            } else {
                BTreeMap::new()
            },
        };
        let reference = section.has("reference").then(|| section.section("reference")).transpose()?;
        let reference = reference.as_ref().map(ReferenceFacts::from_section).transpose()?;
        Ok(Self { run, reference, chain: ChainSettings::from_section(&chain)? })
    }
}

/// Factors of other versions too: a limit stands whoever reads it.
fn levels(section: &Section) -> Result<BTreeMap<String, u64>, ParamsError> {
    let level = |name: &str| Ok((name.to_owned(), section.integer(name, 0..=i64::MAX.unsigned_abs())?));
    section.names().map(level).collect()
}

/// A seed is an integer, or a text of digits where it exceeds TOML's 63 bits.
fn seed(section: &Section) -> Result<u64, ParamsError> {
    if section.is_integer("seed") {
        // Above this it is out of range as a number.
        return section.integer("seed", 0..=i64::MAX.unsigned_abs());
    }
    let text = section.text("seed")?;
    text.parse().map_err(|_| section.fault("seed", format!("`{text}` is not a whole number of 64 bits")))
}
