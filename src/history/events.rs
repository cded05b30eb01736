//! What is to be told, kept until it has been.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::judgement::Finding;
use crate::units::Gas;

/// Something that people must hear of. It is what an alert command reads as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Format of the event, 1.
    pub format: u32,
    /// A name that no other event has. One that comes twice was told twice, as after a kill between telling and noting it.
    pub id: String,
    /// What kind.
    pub kind: EventKind,
    /// The event in a few lines for people.
    pub text: String,
    /// The night.
    pub night: String,
    /// The machine class.
    pub machine: String,
    /// The machine for readers.
    pub cpu: String,
    /// The name of the machine; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// The report of the run on that machine, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<PathBuf>,
    /// Gas before and by this run of what changed, by parameter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gas: BTreeMap<String, GasChange>,
    /// What was found, for [`EventKind::Changed`].
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// Gas of a parameter that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GasChange {
    /// That of the table in force, or without one what the run before proposes; `None` where neither has it.
    pub old: Option<Gas>,
    /// What this run proposes.
    pub new: Gas,
}

/// What kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// A gated value changed.
    Changed,
    /// A night could not be done.
    Failed,
    /// A run was too noisy to sign.
    Noisy,
    /// The history was damaged, set aside and made again.
    Damaged,
    /// A night measured something else than the night before, or on what counts as another machine, and begins a series of its own.
    Series,
}

/// An event that has not been told yet, with its row in the database.
#[derive(Debug, Clone, PartialEq)]
pub struct Outbox {
    /// The row.
    pub row: i64,
    /// The event.
    pub event: Event,
}
