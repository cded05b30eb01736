//! What may disturb a measurement: each hazard present, absent or unknown, with the command that would quiet it.

mod cgroup;
mod frequency;
mod kernel;
mod memory;
mod sharing;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
use super::root::Root;

/// Whether a hazard is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is present.
    Yes,
    /// It was looked for and is absent.
    No,
    /// The machine does not say.
    Unknown,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        })
    }
}

/// One thing that may make times noisy or unlike those of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hazard {
    /// A short name in kebab case, the same in every version.
    pub name: String,
    /// Whether it is present.
    pub state: State,
    /// What was found, and why it matters if that is not plain.
    pub detail: String,
    /// A shell command that would quiet it; `None` when it is absent or no command helps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<String>,
}

impl Hazard {
    /// A hazard that is present if `found` is true, absent if false and unknown if `None`.
    pub(super) fn new(name: &str, found: Option<bool>, detail: impl Into<String>) -> Self {
        let state = match found {
            Some(true) => State::Yes,
            Some(false) => State::No,
            None => State::Unknown,
        };
        Self { name: name.into(), state, detail: detail.into(), quiet: None }
    }

    /// Whether it is certainly present.
    #[must_use]
    pub fn is_present(&self) -> bool {
        self.state == State::Yes
    }

    /// The command to offer if the hazard is present.
    fn quiet(mut self, command: impl Into<String>) -> Self {
        if self.state == State::Yes {
            self.quiet = Some(command.into());
        }
        self
    }
}

/// All hazards that one look at the machine can find.
pub(super) fn read(root: Root, fingerprint: &Fingerprint) -> Vec<Hazard> {
    let guest = fingerprint.virtualisation.guest;
    let cores = fingerprint.cpu.logical_cores;
    vec![
        frequency::governor(root),
        frequency::turbo(root),
        frequency::battery(root),
        sharing::guest(&fingerprint.virtualisation),
        sharing::smt(root, guest),
        sharing::few_cpus(root, cores),
        sharing::load(root, cores),
        cgroup::cpu_quota(root),
        cgroup::memory_limit(root),
        memory::low(root),
        memory::swap(root),
        memory::huge_pages(root),
        kernel::aslr(root),
        kernel::pagemap_scan(fingerprint.kernel.as_deref()),
        kernel::mitigations(root),
    ]
}
