//! The fee of a stack: what it costs to give a call its stack, for engines that give it one of its own, and how that is best done.

use strum::{Display, FromRepr, VariantNames};

use super::counter::ALLOCATING;
use super::factor::{planned, ways};
use super::load::{self, PROBED};
use super::memory::{DATA_BYTES, PREEMPTION, SPEC};
use super::{Column, Experiment, Factor, Parameter, Phase, Point, Price, Probe, Regressor, Source, Term, Unit};

/// Where the stack of a call comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum Origin {
    /// It is made for the call.
    #[default]
    Fresh,
    /// It is that of the call before, as that left it.
    Recycled,
    /// The same, given back to the kernel after each call, which hands out zeroed pages.
    Decommitted,
    /// The same, zeroed by hand after each call and kept.
    Zeroed,
    /// It is the caller's own.
    Host,
}

/// What runs the call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, FromRepr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
#[repr(u64)]
pub enum Engine {
    /// Wasmtime: compiled code, called asynchronously where the stack is not the caller's own.
    #[default]
    Wasmtime,
    /// The interpreter wasmi, whose values live on a stack of its own.
    Wasmi,
    /// The same as it was in 0.31, when it filled a new stack with zeros.
    OldWasmi,
}

/// Where the stack of a call comes from: [`Origin`].
pub static ORIGIN: Factor = ways("origin", Origin::VARIANTS);
/// What runs the call: [`Engine`].
pub static ENGINE: Factor = ways("engine", Engine::VARIANTS);
/// The size of the stack when it is new: Wasmtime's default, 2 MiB, unless another is said.
pub static HEIGHT: Factor =
    Factor { name: "height", unit: Unit::Bytes, source: Source::Plan, names: &[], usual: 2 << 20, phrase: "" };
/// Bytes of it that values of the call take, 1 KiB for each nested one.
pub static DEPTH: Factor = planned("depth", Unit::Bytes);

/// The fee of a stack.
pub static STACK: Experiment = Experiment {
    name: "stack",
    about: "the fee of a stack of one's own",
    factors: &[&ORIGIN, &ENGINE, &HEIGHT, &DEPTH],
    phases: &[
        Phase { name: "instantiate", price: Price::Free, touches: false },
        Phase { name: "call", price: Price::Added, touches: false },
        Phase { name: "drop", price: Price::Added, touches: false },
    ],
    counters: ALLOCATING,
    base: Parameter { name: "stack_init_base", unit: "gas per call on a stack of its own" },
    terms: &[&PER_KIB],
    line: &[&KIB],
    leading: &DEPTH,
    beyond_line: None,
    control: None,
    checks: &[],
    compares: &[&ORIGIN, &HEIGHT, &ENGINE],
    beside: false,
    title: "Stack fee",
    worst_case: "a stack that is made for the call, private caches cold",
    table: "params/proposed-stack.toml",
    preemption: PREEMPTION,
    // The probe of one page moves against whatever is no memory, as it does against loads.
    least_margin: load::SPEC.least_margin,
    between_runs: load::BETWEEN_RUNS,
    reference: Some(Probe { touches: &PROBED, copies: &DATA_BYTES, slowed: true }),
    ..SPEC
};

static PER_KIB: Term = Term {
    name: "stack_kib",
    column: Column::Level(&DEPTH),
    per: 1 << 10,
    parameter: Parameter { name: "stack_init_per_kib", unit: "gas per KiB of stack used" },
};

static KIB: Regressor =
    Regressor { name: "stack-kib", words: "a KiB of stack", column: Column::Level(&DEPTH), per: 1 << 10 };

impl Point {
    /// Where the stack of the call comes from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        Origin::from_repr(self.level(&ORIGIN)).unwrap_or_default()
    }

    /// What runs the call.
    #[must_use]
    pub fn engine(&self) -> Engine {
        Engine::from_repr(self.level(&ENGINE)).unwrap_or_default()
    }
}
