//! The fee of loading: what a call pays whose contract lies compiled on the node's disk, and is not among the modules that it keeps.

use super::memory::{COUNTERS, DATA_BYTES, PREEMPTION};
use super::{BetweenRuns, Column, Experiment, Factor, Parameter, Phase, Price, Probe, Regressor, Source, Term, Unit};
use crate::units::WASM_PAGE;

/// Something that a module declares.
const fn declared(name: &'static str, unit: Unit) -> Factor {
    Factor { name, unit, source: Source::Module, names: &[], usual: 0, phrase: "" }
}

/// Functions that the module defines.
pub static FUNCTIONS: Factor = declared("functions", Unit::Count);
/// Types that it declares.
pub static TYPES: Factor = declared("types", Unit::Count);
/// Globals that it defines.
pub static GLOBALS: Factor = declared("globals", Unit::Count);
/// What it imports.
pub static IMPORTS: Factor = declared("imports", Unit::Count);
/// What it exports.
pub static EXPORTS: Factor = declared("exports", Unit::Count);
/// Entries of its element segments.
pub static ELEMENTS: Factor = declared("elements", Unit::Count);
/// Bytes of the names of its imports and exports.
pub static NAME_BYTES: Factor = declared("name_bytes", Unit::Bytes);
/// Bytes of its code section.
pub static CODE_BYTES: Factor = declared("code_bytes", Unit::Bytes);
/// 1 if it has an active data segment.
pub static HAS_DATA: Factor = declared("has_data", Unit::Count);
/// Bytes from where its active data begins to where it ends, which its image in memory has room for.
pub static DATA_SPAN: Factor = declared("data_span", Unit::Bytes);
/// Bytes of the module without what no runtime reads.
pub static MODULE_BYTES: Factor = declared("module_bytes", Unit::Bytes);

/// Pages of the probe beside a load: always one, the smallest that a reference has.
static PROBED: Factor =
    Factor { name: "probed_pages", unit: Unit::Pages, source: Source::Plan, names: &[], usual: 1, phrase: "" };

static FACTORS: [&Factor; 11] = [
    &FUNCTIONS,
    &TYPES,
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

/// The contract whose modules vary one factor at a time.
pub const CONTRACT: &str = "load";
/// The contract whose modules mix the factors, as real ones do: none of them is in the fit that the others are validated by.
pub const MIXED: &str = "load-mixed";

/// The fee of loading.
pub static LOAD: Experiment = Experiment {
    name: "load",
    about: "the fee of loading a contract that is not kept ready",
    factors: &FACTORS,
    phases: CYCLE,
    counters: COUNTERS,
    base: BASE,
    terms: TERMS,
    line: LINE,
    leading: &FUNCTIONS,
    beyond_line: None,
    control: None,
    checks: &[],
    proposes: true,
    ranks: false,
    beside: false,
    // A neighbour slows the probe and a load differently: on one day the charges of the same modules lay a tenth apart (docs/load.md).
    least_margin: 0.1,
    between_runs: BETWEEN_RUNS,
    title: "Loading fee",
    worst_case: "compiled code in the page cache, private caches cold",
    table: "params/proposed-load.toml",
    preemption: PREEMPTION,
    reference: Some(Probe { touches: &PROBED, copies: &DATA_BYTES }),
    slows_probe: true,
    held_out: Some(MIXED),
    by_size: Some(&BY_SIZE),
};

/// A neighbour moves the probe and loads apart. Over four runs within 42 minutes on a shared machine the mean of the logarithms over 47 modules
/// moved by 9 to 10 % either way, and single modules by 1.4 to 2.6 % about it.
const BETWEEN_RUNS: BetweenRuns = BetweenRuns { class: |_| 0.02, common: 0.05 };

/// What every load pays.
const BASE: Parameter = Parameter { name: "contract_load_base", unit: "gas per load" };

/// What every load can be charged for.
static TERMS: &[&Term] = &[
    &PER_FUNCTION,
    &PER_TYPE,
    &PER_GLOBAL,
    &PER_IMPORT,
    &PER_EXPORT,
    &PER_ELEMENT,
    &PER_NAME_KIB,
    &PER_CODE_KIB,
    &WITH_DATA,
    &PER_DATA_PAGE,
];

static LINE: &[&Regressor] =
    &[&FUNCTION, &TYPE, &GLOBAL, &IMPORT, &EXPORT, &ELEMENT, &NAME_KIB, &CODE_KIB, &DATA, &DATA_PAGE];

const KIB: u64 = 1 << 10;

const fn priced(
    name: &'static str,
    factor: &'static Factor,
    per: u64,
    parameter: &'static str,
    unit: &'static str,
) -> Term {
    Term { name, column: Column::Level(factor), per, parameter: Parameter { name: parameter, unit } }
}

const fn regressor(name: &'static str, words: &'static str, factor: &'static Factor, per: u64) -> Regressor {
    Regressor { name, words, column: Column::Level(factor), per }
}

static PER_FUNCTION: Term =
    priced("load_function", &FUNCTIONS, 1, "contract_load_per_function", "gas per function defined");
static PER_TYPE: Term = priced("load_type", &TYPES, 1, "contract_load_per_type", "gas per type");
static PER_GLOBAL: Term = priced("load_global", &GLOBALS, 1, "contract_load_per_global", "gas per global defined");
static PER_IMPORT: Term = priced("load_import", &IMPORTS, 1, "contract_load_per_import", "gas per import");
static PER_EXPORT: Term = priced("load_export", &EXPORTS, 1, "contract_load_per_export", "gas per export");
static PER_ELEMENT: Term = priced("load_element", &ELEMENTS, 1, "contract_load_per_element", "gas per table element");
static PER_NAME_KIB: Term =
    priced("load_name_kib", &NAME_BYTES, KIB, "contract_load_per_name_kib", "gas per KiB of names");
static PER_CODE_KIB: Term =
    priced("load_code_kib", &CODE_BYTES, KIB, "contract_load_per_code_kib", "gas per KiB of code");
static WITH_DATA: Term = priced("load_data", &HAS_DATA, 1, "contract_load_with_data", "gas where there is active data");
static PER_DATA_PAGE: Term =
    priced("load_data_page", &DATA_SPAN, WASM_PAGE, "contract_load_per_data_page", "gas per 64 KiB that data spans");

/// What a chain would charge by that knows the size of a module alone.
static BY_SIZE: Term =
    priced("load_module_kib", &MODULE_BYTES, KIB, "contract_load_per_module_kib", "gas per KiB of the module");

static FUNCTION: Regressor = regressor("function", "a function", &FUNCTIONS, 1);
static TYPE: Regressor = regressor("type", "a type", &TYPES, 1);
static GLOBAL: Regressor = regressor("global", "a global", &GLOBALS, 1);
static IMPORT: Regressor = regressor("import", "an import", &IMPORTS, 1);
static EXPORT: Regressor = regressor("export", "an export", &EXPORTS, 1);
static ELEMENT: Regressor = regressor("element", "a table element", &ELEMENTS, 1);
static NAME_KIB: Regressor = regressor("name-kib", "a KiB of names", &NAME_BYTES, KIB);
static CODE_KIB: Regressor = regressor("code-kib", "a KiB of code", &CODE_BYTES, KIB);
static DATA: Regressor = regressor("has-data", "having data", &HAS_DATA, 1);
static DATA_PAGE: Regressor = regressor("data-page", "64 KiB that data spans", &DATA_SPAN, WASM_PAGE);

/// A load. The first instance makes the image of the memory, and takes longer than those after it. What comes after is no part of the
/// fee: the reset of the memory is in that of the call, and a node gives a module up when it has another use for the room.
const CYCLE: &[Phase] = &[
    Phase { name: "deserialize", price: Price::Added, touches: false },
    Phase { name: "link", price: Price::Added, touches: false },
    Phase { name: "instantiate", price: Price::Added, touches: false },
    Phase { name: "reset", price: Price::Free, touches: false },
    Phase { name: "unload", price: Price::Free, touches: false },
];
