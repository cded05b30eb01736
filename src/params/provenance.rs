//! Where the numbers of a table came from.

use std::collections::BTreeMap;

use super::chain::ChainSettings;
use super::reference_facts::ReferenceFacts;
use super::section::Section;
use crate::versioned::{Faults, VersionedError};

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
    pub(super) fn from_section(section: &Section) -> Result<Self, VersionedError> {
        let mut faults = Faults::of(section.unknown(&KEYS));
        // What is at fault is worth nothing, and is not returned.
        let mut text = |key| faults.without(section.text(key)).unwrap_or_default();
        let mut run = RunFacts {
            run: text("run"),
            date: text("date"),
            machine: text("machine"),
            cpu: text("cpu"),
            contract_set: text("contract_set"),
            estimator: text("estimator"),
            wasmtime: text("wasmtime"),
            worst_case: text("worst_case"),
            stop_reason: text("stop_reason"),
            ..RunFacts::default()
        };
        run.seed = faults.without(seed(section)).unwrap_or_default();
        let mut texts = |key| faults.without(section.texts(key)).unwrap_or_default();
        (run.notes, run.skipped) = (texts("notes"), texts("skipped"));
        if section.has("unsigned") {
            run.unsigned = texts("unsigned");
        }
        if section.has("measured_up_to") {
            let levels = section.section("measured_up_to").and_then(|section| levels(&section));
            run.measured_up_to = faults.without(levels).unwrap_or_default();
        }
        let reference = section.has("reference").then(|| ReferenceFacts::from_section(&section.section("reference")?));
        let reference = faults.without(reference.transpose()).flatten();
        let chain = section.section("chain").and_then(|chain| ChainSettings::from_section(&chain));
        let chain = faults.without(chain).unwrap_or_default();
        faults.or(Some(Self { run, reference, chain }))
    }
}

/// Factors of other versions too: a limit stands whoever reads it.
fn levels(section: &Section) -> Result<BTreeMap<String, u64>, VersionedError> {
    let mut faults = Faults::default();
    let level = |name: &str| {
        faults.without(section.integer(name, 0..=i64::MAX.unsigned_abs())).map(|level| (name.to_owned(), level))
    };
    let levels = section.names().filter_map(level).collect();
    faults.or(Some(levels))
}

/// A seed is an integer, or a text of digits where it exceeds TOML's 63 bits.
fn seed(section: &Section) -> Result<u64, VersionedError> {
    if section.is_integer("seed") {
        // Above this it is out of range as a number.
        return section.integer("seed", 0..=i64::MAX.unsigned_abs());
    }
    let text = section.text("seed")?;
    text.parse().map_err(|_| section.fault("seed", format!("`{text}` is not a whole number of 64 bits")))
}
