//! What is kept of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::events::Event;
use super::figure::{Figure, Recorded, figures};
use super::judgement::Judgement;
use crate::measure::RunFile;
use crate::model::{Estimate, Fit};
use crate::params::{ParamTable, ReferenceFacts, UNKNOWN_MACHINE};
use crate::units::Gas;

/// The newest format of records that this version reads and writes.
pub const RECORD_FORMAT: u32 = 2;

/// A run as the history keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`RECORD_FORMAT`].
    pub format: u32,
    /// Name of the run, that of its folder. A history holds it once.
    pub run: String,
    /// Place in the history that the run was made for. It grows by one from run to run whatever the clock says.
    pub sequence: u64,
    /// Name of the first run of the night.
    pub night: String,
    /// Why it was made.
    pub role: Role,
    /// What came of it.
    pub outcome: Outcome,
    /// When it was planned, as the clock of the machine said (RFC 3339). Nothing is ordered by it.
    pub created: String,
    /// The machine class, or [`UNKNOWN_MACHINE`].
    pub machine: String,
    /// The machine for readers.
    pub cpu: String,
    /// The name of the machine; empty where it is not known, as in runs of before there were names.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The reset strategy that is priced, with what is set of its pool.
    pub strategy: String,
    /// The statistic that is priced.
    pub statistic: String,
    /// What tells the machine that its figures are stated on from others; empty where they are as measured.
    pub reference: String,
    /// Hash of the contracts.
    pub contract_set: String,
    /// Version of Wasmtime.
    pub wasmtime: String,
    /// Version of this program.
    pub estimator: String,
    /// Planned measuring time in whole seconds.
    pub budget_seconds: u64,
    /// The figures, none unless it was measured.
    #[serde(default)]
    pub estimates: Vec<Recorded>,
    /// The proposed gas, by parameter.
    #[serde(default)]
    pub gas: BTreeMap<String, Gas>,
    /// What the gate made of the night, with its last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// What was to be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
}

/// Why a run was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The first of its night.
    First,
    /// To confirm an apparent change.
    Confirming,
    /// By hand, outside `nightly`.
    Single,
}

/// What came of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It ended and its fit may be used.
    Measured,
    /// It ended and its fit must not be used.
    Rejected,
    /// It ended and is too noisy to sign.
    Noisy,
    /// It was cut off; what it measured is in its folder.
    Unfinished,
}

/// What two runs must share for their figures to be of the same thing.
///
/// Versions are not among it: an upgrade that changes the cost is what the gate is to find.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeriesKey {
    /// The machine class.
    pub machine: String,
    /// The strategy.
    pub strategy: String,
    /// The statistic.
    pub statistic: String,
    /// The reference machine.
    pub reference: String,
    /// The contracts.
    pub contract_set: String,
}

impl Record {
    /// The record of a run that was planned and of which nothing else is known yet.
    #[must_use]
    pub fn planned(run: &RunFile, sequence: u64, night: &str, role: Role) -> Self {
        Self {
            format: RECORD_FORMAT,
            run: run.run.clone(),
            sequence,
            night: night.into(),
            role,
            outcome: Outcome::Unfinished,
            created: run.created.clone(),
            machine: run.machine.class().unwrap_or_else(|| UNKNOWN_MACHINE.into()),
            cpu: run.machine.summary(),
            node: run.node.clone().unwrap_or_default(),
            strategy: String::new(),
            statistic: String::new(),
            reference: String::new(),
            contract_set: run.contract_set.clone(),
            wasmtime: run.wasmtime.clone(),
            estimator: run.estimator.clone(),
            budget_seconds: u64::try_from(run.plan.budget.as_secs()).unwrap_or(0),
            estimates: Vec::new(),
            gas: BTreeMap::new(),
            judgement: None,
            events: Vec::new(),
        }
    }

    /// The same with what was fitted and proposed. Without a table the fit was rejected.
    #[must_use]
    pub fn fitted(mut self, fit: &Fit, table: Option<&ParamTable>) -> Self {
        let in_full = |table: &ParamTable| table.provenance.chain.strategy_in_full();
        self.strategy = table.map_or_else(|| fit.chain_strategy.clone(), in_full);
        self.statistic = fit.settings.statistic.name().into();
        self.outcome = match table {
            Some(_) if fit.refused.is_empty() => Outcome::Measured,
            Some(_) => Outcome::Noisy,
            None => Outcome::Rejected,
        };
        let usable = self.outcome == Outcome::Measured;
        let facts = table.and_then(|table| table.provenance.reference.as_ref());
        self.reference = facts.map(ReferenceFacts::id).unwrap_or_default();
        self.estimates = if usable { figures(fit) } else { Vec::new() };
        self.gas = table
            .filter(|_| usable)
            .map(|table| table.params.iter().map(|(name, param)| (name.clone(), param.gas)).collect())
            .unwrap_or_default();
        self
    }

    /// What it is compared within.
    #[must_use]
    pub fn key(&self) -> SeriesKey {
        SeriesKey {
            machine: self.machine.clone(),
            strategy: self.strategy.clone(),
            statistic: self.statistic.clone(),
            reference: self.reference.clone(),
            contract_set: self.contract_set.clone(),
        }
    }

    /// One of its figures.
    #[must_use]
    pub fn estimate(&self, figure: &Figure) -> Option<Estimate> {
        self.estimates.iter().find(|recorded| recorded.figure == *figure).map(|recorded| recorded.estimate)
    }
}
