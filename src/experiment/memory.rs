//! The fee of a memory: what a call costs by the pages that it declares, touches and grows.

use super::conditions::{PREVIOUS, WRITE_WIDTH};
use super::factor::joined;
use super::node::PROCESS_FACTORS;
use super::{
    BetweenRuns, Check, Column, Count, Counter, Experiment, Factor, Levels, Parameter, Phase, Point, Price, Probe,
    Regressor, Source, Term, Unit,
};
use crate::units::{Bytes, Pages, WASM_PAGE};

/// Pages of linear memory that the module declares.
pub static INITIAL_PAGES: Factor =
    Factor { name: "initial_pages", unit: Unit::Pages, source: Source::Module, names: &[], usual: 0, phrase: "" };

/// Shadow stack that the linker laid out, from the initial value of the stack pointer.
pub static STACK_BYTES: Factor =
    Factor { name: "stack_bytes", unit: Unit::Bytes, source: Source::Module, names: &[], usual: 0, phrase: "" };

/// Pages written by the touch, from address 0; beyond the initial pages the contract grows its memory first.
pub static TOUCHED_PAGES: Factor = Factor {
    name: "touched_pages",
    unit: Unit::Pages,
    source: Source::Plan,
    names: &[],
    usual: 0,
    phrase: "touching {}",
};

/// Bytes in the module's active data segments.
pub static DATA_BYTES: Factor =
    Factor { name: "data_bytes", unit: Unit::Bytes, source: Source::Module, names: &[], usual: 0, phrase: "" };

/// What the call itself does.
pub(super) const CALL_FACTORS: &[&Factor] = &[&INITIAL_PAGES, &STACK_BYTES, &TOUCHED_PAGES, &DATA_BYTES];

static FACTORS: [&Factor; 14] = joined(&[CALL_FACTORS, &[&PREVIOUS, &WRITE_WIDTH], PROCESS_FACTORS]);

/// The fee of a memory.
pub static MEMORY: Experiment = SPEC;

/// What other experiments on the memory of a call begin from.
pub(super) const SPEC: Experiment = Experiment {
    name: "memory",
    about: "the fee per initial memory page",
    factors: &FACTORS,
    phases: CYCLE,
    counters: COUNTERS,
    base: BASE,
    terms: TERMS,
    line: LINE,
    limits: &[],
    leading: &INITIAL_PAGES,
    beyond_line: GROWN,
    control: Some(&STACK_BYTES),
    checks: CHECKS,
    proposes: true,
    compares: &[],
    ranks: false,
    beside: true,
    least_margin: 0.0,
    between_runs: BetweenRuns { class: between_runs, common: 0.0 },
    title: "Memory fee",
    worst_case: "every byte of the declared memory written, caches cold",
    table: "params/proposed.toml",
    preemption: PREEMPTION,
    reference: Some(Probe { touches: &TOUCHED_PAGES, copies: &DATA_BYTES, slowed: false }),
    held_out: None,
    by_size: None,
};

/// Found in 25 runs over a day on a shared machine. The cost of the smallest memories is mostly instantiation, which moves most.
fn between_runs(point: &Point) -> f64 {
    if point.touched_pages() <= Pages(2) { 0.02 } else { 0.01 }
}

/// What every call pays for its memory.
pub const BASE: Parameter = Parameter { name: "memory_init_base", unit: "gas per call" };

/// Declared pages that are touched.
pub static PAGE: Regressor =
    Regressor { name: "page", words: "touched pages", column: Column::Least(&INITIAL_PAGES, &TOUCHED_PAGES), per: 1 };

/// Declared pages that are not.
static UNTOUCHED_PAGE: Regressor = Regressor {
    name: "untouched-page",
    words: "untouched pages",
    column: Column::Excess(&INITIAL_PAGES, &TOUCHED_PAGES),
    per: 1,
};

/// Active data segments.
static DATA: Regressor = Regressor { name: "data", words: "data", column: Column::Level(&DATA_BYTES), per: WASM_PAGE };

const LINE: &[&Regressor] = &[&PAGE, &UNTOUCHED_PAGE, &DATA];

/// Points that grow would bend the line through those that declare their pages.
const GROWN: Option<Column> = Some(Column::Excess(&TOUCHED_PAGES, &INITIAL_PAGES));

/// What a call can be charged for: pages that it declares, which every chain charges for, data, and pages that it grows.
pub static TERMS: &[&Term] = &[&PER_PAGE, &PER_DATA_PAGE, &DATA_BASE, &PER_GROWN_PAGE];

/// Pages that are declared.
pub static PER_PAGE: Term = Term {
    name: "page",
    column: Column::Level(&INITIAL_PAGES),
    per: 1,
    parameter: Parameter { name: "memory_init_per_page", unit: "gas per initial page of 64 KiB" },
};

/// Active data segments, which the kernel copies instead of zero-filling.
pub static PER_DATA_PAGE: Term = Term {
    name: "data",
    column: Column::Level(&DATA_BYTES),
    per: WASM_PAGE,
    parameter: Parameter { name: "memory_init_per_data_page", unit: "gas per 64 KiB of data" },
};

/// That there are any, however few: the image that they are copied from is mapped, and its first page read.
pub static DATA_BASE: Term = Term {
    name: "data_base",
    column: Column::Any(&DATA_BYTES),
    per: 1,
    parameter: Parameter { name: "memory_init_data_base", unit: "gas per call with data" },
};

/// Pages that are grown.
pub static PER_GROWN_PAGE: Term = Term {
    name: "grown",
    column: Column::Excess(&TOUCHED_PAGES, &INITIAL_PAGES),
    per: 1,
    parameter: Parameter { name: "memory_grow_per_page", unit: "gas per grown page of 64 KiB" },
};

/// A call cycle. The warm touch is what the stores themselves cost, which instructions already pay for.
const CYCLE: &[Phase] = &[
    Phase { name: "instantiate", price: Price::Added, touches: false },
    Phase { name: "first_touch", price: Price::Added, touches: true },
    Phase { name: "warm_touch", price: Price::Subtracted, touches: true },
    Phase { name: "reset", price: Price::Added, touches: false },
];

/// Minor page faults of the thread during what faults, here the first touch, and how often the kernel took the processor from it during the
/// whole cycle.
pub(super) const COUNTERS: &[Counter] = &[
    Counter { name: "minor_faults", unit: "page faults", count: Count::MinorFaults },
    Counter { name: "involuntary_switches", unit: "context switches", count: Count::InvoluntarySwitches },
];

/// The second of them.
pub(super) const PREEMPTION: Option<usize> = Some(1);

const CHECKS: &[Check] = &[Check { counter: 0, host_pages_of: &TOUCHED_PAGES }];

impl Experiment {
    /// Whether it is of what calls cost by the pages of their memory.
    #[must_use]
    pub fn is_of_memory(&self) -> bool {
        *self.leading == INITIAL_PAGES
    }
}

impl Point {
    /// The point of a memory whose pages are all touched, without stack or data.
    #[must_use]
    pub fn of_memory(contract: &str, variant: &str, strategy: &str, pages: Pages) -> Self {
        let (contract, variant, strategy) = (contract.into(), variant.into(), strategy.into());
        let levels = Levels::default().with(&INITIAL_PAGES, pages.0.into()).with(&TOUCHED_PAGES, pages.0.into());
        Self { contract, variant, strategy, levels }
    }

    /// Pages of linear memory that the module declares.
    #[must_use]
    pub fn initial_pages(&self) -> Pages {
        pages(self.level(&INITIAL_PAGES))
    }

    /// Shadow stack that the linker laid out.
    #[must_use]
    pub fn stack_bytes(&self) -> Bytes {
        Bytes(self.level(&STACK_BYTES))
    }

    /// Pages written by the touch.
    #[must_use]
    pub fn touched_pages(&self) -> Pages {
        pages(self.level(&TOUCHED_PAGES))
    }

    /// Bytes in the module's active data segments.
    #[must_use]
    pub fn data_bytes(&self) -> Bytes {
        Bytes(self.level(&DATA_BYTES))
    }

    /// Pages added by `memory.grow` before they are touched.
    #[must_use]
    pub fn grown_pages(&self) -> Pages {
        self.touched_pages().beyond(self.initial_pages())
    }
}

/// Beyond 2^32 pages no module can declare any; such a level stands for the most there can be.
fn pages(level: u64) -> Pages {
    Pages(u32::try_from(level).unwrap_or(u32::MAX))
}
