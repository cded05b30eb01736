//! What can surround a cycle by the plan: what ran before, what it writes, and in which state the caches are.

use strum::{Display, FromRepr, VariantNames};

use super::{Factor, Point, Source, Unit};

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
    /// The same, but as long ago as the largest of these takes, without a call or a write to memory since.
    LongGone,
    /// None of a runtime's: as much memory as the largest of these takes was mapped, written and unmapped.
    Foreign,
}

/// What is written of the touched pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum WriteWidth {
    /// One byte, by the contract's entry: the least that makes the kernel give the page.
    #[default]
    HostPage,
    /// Every byte, by the host.
    EveryByte,
    /// One byte in each sixteenth of what is touched, by the host: the fewest writes after which nothing smaller is left clean.
    Scattered,
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

/// A condition whose levels have names, the first of them usual.
const fn named(name: &'static str, names: &'static [&'static str], phrase: &'static str) -> Factor {
    Factor { name, unit: Unit::Name, source: Source::Condition, names, usual: 0, phrase }
}

/// What the tenant before did: [`Previous`].
pub static PREVIOUS: Factor = named("previous", Previous::VARIANTS, "after a {} tenant");

/// How much of each host page is written: [`WriteWidth`].
pub static WRITE_WIDTH: Factor = named("write_width", WriteWidth::VARIANTS, "writing {}");

/// State of the private caches: [`Caches`].
pub static CACHES: Factor = named("caches", Caches::VARIANTS, "with {} caches");

/// Threads that run the same cycle at once.
pub static THREADS: Factor = Factor {
    name: "threads",
    unit: Unit::Count,
    source: Source::Condition,
    names: &[],
    usual: 1,
    phrase: "on {} threads",
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
}
