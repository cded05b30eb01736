//! The fee of a payload: what it costs to bring a call's input into the memory of its contract and to take out what it returns, and in which
//! way that is best done.

use strum::{Display, FromRepr, VariantNames};

use super::counter::ALLOCATING;
use super::factor::{planned, ways};
use super::load::{self, PROBED};
use super::memory::{DATA_BYTES, PREEMPTION, SPEC};
use super::{Column, Experiment, Factor, Parameter, Phase, Point, Price, Probe, Regressor, Term, Unit};

/// How a payload comes into the memory of its contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum Passage {
    /// It is copied into memory of the contract that was written before: one copy.
    #[default]
    Copied,
    /// It is copied into memory as the strategy hands it out: untouched where that gives pages back, resident where it keeps them.
    IntoFreshMemory,
    /// The host adds to a buffer that is its own and has room, and copies it: the buffer is written over, and nothing is copied for it.
    Overwritten,
    /// The host's buffer is shared, so it is copied into one with room first.
    UnsharedWithRoom,
    /// The host's buffer is shared, so it is copied into one of its own first (`Arc::make_mut`), which then has to grow.
    UnsharedThenGrown,
}

/// How what a call returns comes out of the memory of its contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum WayOut {
    /// It is copied into a buffer that is there.
    #[default]
    IntoOwnBuffer,
    /// It is copied into a buffer that is made for it. An allocator maps large ones for each call, which no price by the KiB follows.
    IntoNewBuffer,
}

/// How a payload comes in: [`Passage`].
pub static PASSAGE: Factor = ways("passage", Passage::VARIANTS);
/// How what is returned comes out: [`WayOut`].
pub static WAY_OUT: Factor = ways("way_out", WayOut::VARIANTS);
/// Bytes of the payload that a call brings.
pub static PAYLOAD_BYTES: Factor = planned("payload_bytes", Unit::Bytes);
/// Bytes that it returns.
pub static RETURNED_BYTES: Factor = planned("returned_bytes", Unit::Bytes);

/// The fee of a payload.
pub static PAYLOAD: Experiment = Experiment {
    name: "payload",
    about: "the fee of a call's payload",
    factors: &[&PASSAGE, &PAYLOAD_BYTES, &WAY_OUT, &RETURNED_BYTES],
    phases: &[
        Phase { name: "pass", price: Price::Added, touches: false },
        Phase { name: "drop", price: Price::Added, touches: true },
    ],
    counters: ALLOCATING,
    base: Parameter { name: "payload_base", unit: "gas per payload" },
    terms: &[&PER_KIB, &PER_RETURNED_KIB],
    line: &[&KIB, &RETURNED_KIB],
    leading: &PAYLOAD_BYTES,
    beyond_line: None,
    control: None,
    checks: &[],
    compares: &[&PASSAGE, &WAY_OUT],
    beside: false,
    title: "Payload fee",
    worst_case: "one copy into memory that was written before, and one out of it, private caches cold",
    table: "params/proposed-payload.toml",
    preemption: PREEMPTION,
    // The probe of one page moves against whatever is no memory, as it does against loads.
    least_margin: load::SPEC.least_margin,
    between_runs: load::BETWEEN_RUNS,
    reference: Some(Probe { touches: &PROBED, copies: &DATA_BYTES, slowed: true }),
    ..SPEC
};

static PER_KIB: Term = Term {
    name: "payload_kib",
    column: Column::Level(&PAYLOAD_BYTES),
    per: 1 << 10,
    parameter: Parameter { name: "payload_per_kib", unit: "gas per KiB of payload" },
};

/// What a call returns.
pub static PER_RETURNED_KIB: Term = Term {
    name: "payload_returned_kib",
    column: Column::Level(&RETURNED_BYTES),
    per: 1 << 10,
    parameter: Parameter { name: "payload_per_returned_kib", unit: "gas per KiB returned" },
};

static RETURNED_KIB: Regressor = Regressor {
    name: "returned-kib",
    words: "a KiB that is returned",
    column: Column::Level(&RETURNED_BYTES),
    per: 1 << 10,
};

static KIB: Regressor =
    Regressor { name: "payload-kib", words: "a KiB of payload", column: Column::Level(&PAYLOAD_BYTES), per: 1 << 10 };

impl Point {
    /// How the payload comes in.
    #[must_use]
    pub fn passage(&self) -> Passage {
        Passage::from_repr(self.level(&PASSAGE)).unwrap_or_default()
    }

    /// How what is returned comes out.
    #[must_use]
    pub fn way_out(&self) -> WayOut {
        WayOut::from_repr(self.level(&WAY_OUT)).unwrap_or_default()
    }
}
