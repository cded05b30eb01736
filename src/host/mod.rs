//! The machine: its fingerprint and the hazards that make its times noisy.
//!
//! All of it is read from `/proc` and `/sys`, without running a command and without changing anything. What cannot be
//! read, on Linux or elsewhere, is unknown: `None` in the fingerprint, [`State::Unknown`] among the hazards.

mod cpu;
mod fingerprint;
mod hazards;
mod root;
mod steal;
mod virtualisation;

use std::path::Path;

pub use cpu::{Cache, Cpu};
pub use fingerprint::Fingerprint;
pub use hazards::{Hazard, State};
pub use steal::CpuTimes;
pub use virtualisation::Virtualisation;

use root::Root;

with_measure! {
    mod limits;

    pub use limits::address_space_limit;
}

/// What was read of a machine at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// What the machine is, the same tomorrow.
    pub fingerprint: Fingerprint,
    /// What may disturb a measurement now, in a fixed order.
    pub hazards: Vec<Hazard>,
}

impl Host {
    /// The machine that this runs on.
    #[must_use]
    pub fn here() -> Self {
        Self::read(Path::new("/"))
    }

    /// What the machine calls itself. It is no part of what the machine is.
    #[must_use]
    pub fn name() -> Option<String> {
        Root(Path::new("/")).word("/proc/sys/kernel/hostname")
    }

    /// Reads the machine whose file system is at `root`: `/`, or a copy of its `/proc` and `/sys` elsewhere.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let root = Root(root);
        let fingerprint = Fingerprint::read(root);
        let hazards = hazards::read(root, &fingerprint);
        Self { fingerprint, hazards }
    }
}

#[cfg(test)]
mod tests;
