//! The fee of loading: what a call pays whose contract is compiled, and is not ready where it is called; and what it pays whose is.

pub(super) use super::declared::PROBED;
use super::declared::{
    ARTIFACT_BYTES, ARTIFACT_KIB, CODE_BYTES, CODE_KIB, DATA, DATA_PAGE, DATA_SPAN, ELEMENT, ELEMENTS, EXPORT, EXPORTS,
    FUNCTION, FUNCTIONS, GLOBAL, GLOBALS, HAS_DATA, IMPORT, IMPORTS, MODULE_BYTES, NAME_BYTES, NAME_KIB, TYPE,
    TYPE_VALUE, TYPE_VALUES, TYPES, by_size, term, terms,
};
use super::factor::joined;
use super::memory::{COUNTERS, DATA_BYTES, PREEMPTION};
use super::{BetweenRuns, Experiment, Factor, Parameter, Phase, Price, Probe};

/// What a load can be charged for.
const LOADED: &[&Factor] = &[
    &FUNCTIONS,
    &TYPES,
    &TYPE_VALUES,
    &GLOBALS,
    &IMPORTS,
    &EXPORTS,
    &ELEMENTS,
    &NAME_BYTES,
    &CODE_BYTES,
    &HAS_DATA,
    &DATA_SPAN,
    &MODULE_BYTES,
];

static FACTORS: [&Factor; 12] = joined(&[LOADED]);

/// With the size of what is read or copied.
static FACTORS_OF_BYTES: [&Factor; 13] = joined(&[LOADED, &[&ARTIFACT_BYTES]]);

/// The contract whose modules vary one factor at a time.
pub const CONTRACT: &str = "load";
/// The contract whose modules mix the factors, as real ones do: none of them is in the fit that the others are validated by.
pub const MIXED: &str = "load-mixed";

/// What other experiments on what a module declares begin from.
pub(super) const SPEC: Experiment = Experiment {
    name: "load",
    about: "the fee of loading a contract that is not kept ready",
    factors: &FACTORS,
    phases: CYCLE,
    counters: COUNTERS,
    base: Parameter { name: "contract_load_base", unit: "gas per load" },
    terms: terms!("load": function, type, type_value, global, import, export, element, name_kib, code_kib, data, data_page),
    line: &[
        &FUNCTION,
        &TYPE,
        &TYPE_VALUE,
        &GLOBAL,
        &IMPORT,
        &EXPORT,
        &ELEMENT,
        &NAME_KIB,
        &CODE_KIB,
        &DATA,
        &DATA_PAGE,
    ],
    limits: &[],
    leading: &FUNCTIONS,
    beyond_line: None,
    control: None,
    checks: &[],
    proposes: true,
    compares: &[],
    ranks: false,
    beside: false,
    // A neighbour slows the probe and a load differently: on one day the charges of the same modules lay a tenth apart (docs/load.md).
    least_margin: 0.1,
    between_runs: BETWEEN_RUNS,
    title: "Loading fee",
    worst_case: "compiled code in the page cache, private caches cold",
    table: "params/proposed-load.toml",
    preemption: PREEMPTION,
    reference: Some(Probe { touches: &PROBED, copies: &DATA_BYTES, slowed: true }),
    held_out: Some(MIXED),
    by_size: Some(by_size!("load")),
};

/// A neighbour moves the probe and loads apart. Over four runs within 42 minutes on a shared machine the mean of the logarithms over 47 modules
/// moved by 9 to 10 % either way, and single modules by 1.4 to 2.6 % about it.
pub(super) const BETWEEN_RUNS: BetweenRuns = BetweenRuns { class: |_| 0.02, common: 0.05 };

/// The fee of loading from a file whose pages are cached.
pub static LOAD: Experiment = SPEC;

/// What the terms of both are that read or copy compiled code, by the name that their parameters have.
macro_rules! of_bytes {
    ($of:literal) => {
        terms!($of: function, type, type_value, global, import, export, element, name_kib, artifact_kib, data, data_page)
    };
}

/// Compiled code is read or copied as a whole, whatever was in the module that it is of.
const OF_BYTES: Experiment = Experiment {
    factors: &FACTORS_OF_BYTES,
    line: &[
        &FUNCTION,
        &TYPE,
        &TYPE_VALUE,
        &GLOBAL,
        &IMPORT,
        &EXPORT,
        &ELEMENT,
        &NAME_KIB,
        &ARTIFACT_KIB,
        &DATA,
        &DATA_PAGE,
    ],
    ..SPEC
};

/// The fee of loading from a file that has to be read from the disk.
pub static LOAD_COLD: Experiment = Experiment {
    name: "load-cold",
    about: "the fee of loading a contract whose compiled code has to be read from the disk",
    base: Parameter { name: "contract_load_cold_base", unit: "gas per load" },
    terms: of_bytes!("load_cold"),
    title: "Fee of loading from disk",
    worst_case: "compiled code on the disk and out of the page cache, private caches cold",
    table: "params/proposed-load-cold.toml",
    by_size: Some(by_size!("load_cold")),
    ..OF_BYTES
};

/// The fee of loading from bytes in memory.
pub static LOAD_MEMORY: Experiment = Experiment {
    name: "load-memory",
    about: "the fee of loading a contract whose compiled code is bytes in memory",
    base: Parameter { name: "contract_load_memory_base", unit: "gas per load" },
    terms: of_bytes!("load_memory"),
    title: "Fee of loading from memory",
    worst_case: "compiled code in memory, private caches cold",
    table: "params/proposed-load-memory.toml",
    by_size: Some(by_size!("load_memory")),
    ..OF_BYTES
};

/// The fee of what every call does, whose contract is kept ready.
pub static LOAD_KEPT: Experiment = Experiment {
    name: "load-kept",
    about: "the fee of linking and instantiating a contract that is kept ready",
    phases: CALL,
    base: Parameter { name: "contract_load_kept_base", unit: "gas per call" },
    terms: terms!("load_kept": import, name_kib, global, element, data, data_page),
    line: &[&IMPORT, &NAME_KIB, &GLOBAL, &ELEMENT, &DATA, &DATA_PAGE],
    leading: &IMPORTS,
    title: "Fee of a kept contract",
    worst_case: "the module ready in memory, private caches cold",
    table: "params/proposed-load-kept.toml",
    by_size: Some(by_size!("load_kept")),
    ..SPEC
};

/// A load. The first instance makes the image of the memory, and takes longer than those after it. Where the room for modules is full, each
/// that is loaded has another one go, so that a load pays for one that is unloaded. The reset of the memory is in the fee of the call.
const CYCLE: &[Phase] = &[
    Phase { name: "deserialize", price: Price::Added, touches: false },
    Phase { name: "link", price: Price::Added, touches: false },
    Phase { name: "instantiate", price: Price::Added, touches: false },
    Phase { name: "reset", price: Price::Free, touches: false },
    Phase { name: "unload", price: Price::Added, touches: false },
];

/// The same of a module that is there: it is only taken, and not unloaded.
const CALL: &[Phase] = &[
    Phase { name: "take", price: Price::Added, touches: false },
    Phase { name: "link", price: Price::Added, touches: false },
    Phase { name: "instantiate", price: Price::Added, touches: false },
    Phase { name: "reset", price: Price::Free, touches: false },
    Phase { name: "release", price: Price::Free, touches: false },
];
