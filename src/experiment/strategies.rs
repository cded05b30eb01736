//! Which reset strategy is cheapest where: by pages, touched share, the tenant before, and what goes on beside.

use strum::{Display, FromRepr, VariantNames};

use super::memory::{DATA_BYTES, INITIAL_PAGES, SPEC, STACK_BYTES, TOUCHED_PAGES};
use super::{Experiment, Factor, Point, Source, Unit};

/// What the tenant before did, in the slot that the measured one gets where the strategy has slots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum Previous {
    /// The same as the measured one.
    #[default]
    Same,
    /// It declared the predecessor of the runtime, up to 64 MiB, and wrote nothing.
    Clean,
    /// It declared as much and wrote to every host page of it.
    Dirty,
}

/// How much of each host page is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum WriteWidth {
    /// One byte, by the contract's entry: the least that makes the kernel give the page.
    #[default]
    HostPage,
    /// Every byte, by the host.
    EveryByte,
}

/// State of the private caches before the cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum Caches {
    /// Something else went through them: what a node finds that calls one contract after another, and what is priced.
    #[default]
    Cold,
    /// As the same cycle left them.
    Warm,
}

/// What else goes on in the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum Neighbour {
    /// Nothing but the threads that run the cycle.
    #[default]
    Nothing,
    /// Another thread spins on another processor, to which the kernel must then send an interrupt whenever it takes pages away.
    Spinning,
}

/// What the tenant before did: [`Previous`].
pub static PREVIOUS: Factor = Factor {
    name: "previous",
    unit: Unit::Name,
    source: Source::Condition,
    names: Previous::VARIANTS,
    usual: Previous::Same as u64,
    phrase: "after a {} tenant",
};

/// How much of each host page is written: [`WriteWidth`].
pub static WRITE_WIDTH: Factor = Factor {
    name: "write_width",
    unit: Unit::Name,
    source: Source::Condition,
    names: WriteWidth::VARIANTS,
    usual: WriteWidth::HostPage as u64,
    phrase: "writing {}",
};

/// Threads that run the same cycle at once.
pub static THREADS: Factor = Factor {
    name: "threads",
    unit: Unit::Count,
    source: Source::Condition,
    names: &[],
    usual: 1,
    phrase: "on {} threads",
};

/// State of the private caches: [`Caches`].
pub static CACHES: Factor = Factor {
    name: "caches",
    unit: Unit::Name,
    source: Source::Condition,
    names: Caches::VARIANTS,
    usual: Caches::Cold as u64,
    phrase: "with {} caches",
};

/// What else goes on: [`Neighbour`].
pub static NEIGHBOUR: Factor = Factor {
    name: "neighbour",
    unit: Unit::Name,
    source: Source::Condition,
    names: Neighbour::VARIANTS,
    usual: Neighbour::Nothing as u64,
    phrase: "with a {} neighbour",
};

/// Which reset strategy is cheapest where.
///
/// Strategies are compared within a run, where a reference probe would only take the time of cycles.
pub static STRATEGIES: Experiment = Experiment {
    name: "strategies",
    about: "which reset strategy is cheapest where",
    factors: &[
        &INITIAL_PAGES,
        &STACK_BYTES,
        &TOUCHED_PAGES,
        &DATA_BYTES,
        &PREVIOUS,
        &WRITE_WIDTH,
        &THREADS,
        &CACHES,
        &NEIGHBOUR,
    ],
    proposes: false,
    title: "Reset strategies",
    reference: None,
    ..SPEC
};

impl Point {
    /// What the tenant before did.
    #[must_use]
    pub fn previous(&self) -> Previous {
        Previous::from_repr(self.level(&PREVIOUS)).unwrap_or_default()
    }

    /// How much of each host page is written.
    #[must_use]
    pub fn write_width(&self) -> WriteWidth {
        WriteWidth::from_repr(self.level(&WRITE_WIDTH)).unwrap_or_default()
    }

    /// Threads that run the same cycle at once.
    #[must_use]
    pub fn threads(&self) -> u32 {
        u32::try_from(self.level(&THREADS)).unwrap_or(u32::MAX)
    }

    /// State of the private caches before the cycle.
    #[must_use]
    pub fn caches(&self) -> Caches {
        Caches::from_repr(self.level(&CACHES)).unwrap_or_default()
    }

    /// What else goes on in the process.
    #[must_use]
    pub fn neighbour(&self) -> Neighbour {
        Neighbour::from_repr(self.level(&NEIGHBOUR)).unwrap_or_default()
    }
}
