//! What a module declares, as factors, and the terms and regressors of charges by it.

use super::{Column, Factor, Regressor, Source, Unit};
use crate::units::WASM_PAGE;

/// Something that a module declares.
const fn declared(name: &'static str, unit: Unit) -> Factor {
    Factor { name, unit, source: Source::Module, names: &[], usual: 0, phrase: "" }
}

/// Functions that the module defines.
pub static FUNCTIONS: Factor = declared("functions", Unit::Count);
/// Functions that are exported or stand in an element segment, each once: what is outside needs a way into them.
pub static ESCAPES: Factor = declared("escapes", Unit::Count);
/// Parameters and results of those: a way in moves each of them, and is compiled by Cranelift whatever compiles the function.
pub static ESCAPE_VALUES: Factor = declared("escape_values", Unit::Count);
/// Types that it declares.
pub static TYPES: Factor = declared("types", Unit::Count);
/// Parameters and results of its types together.
pub static TYPE_VALUES: Factor = declared("type_values", Unit::Count);
/// Globals that it defines.
pub static GLOBALS: Factor = declared("globals", Unit::Count);
/// What it imports.
pub static IMPORTS: Factor = declared("imports", Unit::Count);
/// What it exports.
pub static EXPORTS: Factor = declared("exports", Unit::Count);
/// Entries of its table, empty ones up to the last that a segment fills among them; or those of its element segments, if they are more.
pub static ELEMENTS: Factor = declared("elements", Unit::Count);
/// Bytes of the names of its imports and exports.
pub static NAME_BYTES: Factor = declared("name_bytes", Unit::Bytes);
/// Bytes of its code section.
pub static CODE_BYTES: Factor = declared("code_bytes", Unit::Bytes);
/// Instructions of its functions.
pub static INSTRUCTIONS: Factor = declared("instructions", Unit::Count);
/// Values that calls, blocks and branches among them take and give, and those of the functions themselves: an instruction of three bytes may
/// move a thousand.
pub static PASSED_VALUES: Factor = declared("passed_values", Unit::Count);
/// Calls of a function by its number among them: code around each keeps what is in registers, and an imported one goes through the instance.
pub static CALLS: Factor = declared("calls", Unit::Count);
/// Instructions among them that a compiler writes several for, or a check: divisions of integers, conversions of floats to integers and of
/// unsigned integers of 64 bits to floats, all on vectors, and accesses that may end beyond 32 MiB, the guard that Wasmtime has behind a memory
/// (`Config::memory_guard_size`).
pub static HEAVY_INSTRUCTIONS: Factor = declared("heavy_instructions", Unit::Count);
/// Calls through a table among them, each of which may trap in several ways.
pub static INDIRECT_CALLS: Factor = declared("indirect_calls", Unit::Count);
/// Instructions among them that the runtime does: what copies, fills or grows tables and memories, drops segments, takes from or puts into a
/// table, and makes a reference of a function.
pub static RUNTIME_CALLS: Factor = declared("runtime_calls", Unit::Count);
/// Locals of its functions, parameters among them; one of a vector counts as four.
pub static LOCALS: Factor = declared("locals", Unit::Count);
/// Groups in which functions declare their locals, each of one type: a validator keeps one entry for each.
pub static LOCAL_GROUPS: Factor = declared("local_groups", Unit::Count);
/// Targets of its `br_table` instructions, the default of each apart.
pub static BRANCH_TARGETS: Factor = declared("branch_targets", Unit::Count);
/// Instructions of its largest function.
pub static FUNCTION_INSTRUCTIONS: Factor = declared("function_instructions", Unit::Count);
/// Locals that a function reads or writes, of the one with most of them.
pub static USED_LOCALS: Factor = declared("used_locals", Unit::Count);
/// Values that a function holds on its operand stack at once, of the one with most of them.
pub static STACK_HEIGHT: Factor = declared("stack_height", Unit::Count);
/// 1 if it has an active data segment that is not empty.
pub static HAS_DATA: Factor = declared("has_data", Unit::Count);
/// 1 if it has such a segment or a start function: Wasmtime compiles a startup function and a way into it for either
/// (`require_startup_func` in `wasmtime-environ`).
pub static HAS_STARTUP: Factor = declared("has_startup", Unit::Count);
/// Data segments, active and passive.
pub static DATA_SEGMENTS: Factor = declared("data_segments", Unit::Count);
/// Bytes from where its active data begins to where it ends, which its image has room for; or those of all segments, which are written over each
/// other, if they are more.
pub static DATA_SPAN: Factor = declared("data_span", Unit::Bytes);
/// Bytes of the module without what no runtime reads.
pub static MODULE_BYTES: Factor = declared("module_bytes", Unit::Bytes);
/// Bytes of what Wasmtime makes of it (`Module::serialize`).
pub static ARTIFACT_BYTES: Factor = declared("artifact_bytes", Unit::Bytes);

/// 1 for a module that is made of what takes longest, to be covered and not to be fitted.
pub static WORST_MIX: Factor =
    Factor { name: "worst_mix", unit: Unit::Count, source: Source::Plan, names: &[], usual: 0, phrase: "" };

/// Pages of the probe beside a cycle whose memory is not touched: always one, the smallest that a reference has.
pub(super) static PROBED: Factor =
    Factor { name: "probed_pages", unit: Unit::Pages, source: Source::Plan, names: &[], usual: 1, phrase: "" };

pub(super) const KIB: u64 = 1 << 10;

/// A term of a charge by what a module declares: `term!("load", function)` is `load_function` and sets `contract_load_per_function`.
macro_rules! term {
    ($of:literal, function) => {
        term!($of, "function", FUNCTIONS, 1, "gas per function defined")
    };
    ($of:literal, escape) => {
        term!($of, "escape", ESCAPES, 1, "gas per function exported or in a table")
    };
    ($of:literal, escape_value) => {
        term!($of, "escape_value", ESCAPE_VALUES, 1, "gas per parameter and result of such a function")
    };
    ($of:literal, type) => {
        term!($of, "type", TYPES, 1, "gas per type")
    };
    ($of:literal, type_value) => {
        term!($of, "type_value", TYPE_VALUES, 1, "gas per parameter and result of a type")
    };
    ($of:literal, global) => {
        term!($of, "global", GLOBALS, 1, "gas per global defined")
    };
    ($of:literal, import) => {
        term!($of, "import", IMPORTS, 1, "gas per import")
    };
    ($of:literal, export) => {
        term!($of, "export", EXPORTS, 1, "gas per export")
    };
    ($of:literal, element) => {
        term!($of, "element", ELEMENTS, 1, "gas per table element")
    };
    ($of:literal, name_kib) => {
        term!($of, "name_kib", NAME_BYTES, $crate::experiment::declared::KIB, "gas per KiB of names")
    };
    ($of:literal, code_kib) => {
        term!($of, "code_kib", CODE_BYTES, $crate::experiment::declared::KIB, "gas per KiB of code")
    };
    ($of:literal, kilo_instruction) => {
        term!($of, "kilo_instruction", INSTRUCTIONS, 1000, "gas per 1000 instructions")
    };
    ($of:literal, passed_value) => {
        term!($of, "passed_value", PASSED_VALUES, 1, "gas per value of a call, block or branch")
    };
    ($of:literal, call) => {
        term!($of, "call", CALLS, 1, "gas per call of a function by its number")
    };
    ($of:literal, heavy_instruction) => {
        term!($of, "heavy_instruction", HEAVY_INSTRUCTIONS, 1, "gas per heavy instruction")
    };
    ($of:literal, indirect_call) => {
        term!($of, "indirect_call", INDIRECT_CALLS, 1, "gas per call through a table")
    };
    ($of:literal, runtime_call) => {
        term!($of, "runtime_call", RUNTIME_CALLS, 1, "gas per instruction that the runtime does")
    };
    ($of:literal, local) => {
        term!($of, "local", LOCALS, 1, "gas per local and parameter")
    };
    ($of:literal, local_group) => {
        term!($of, "local_group", LOCAL_GROUPS, 1, "gas per group of locals")
    };
    ($of:literal, branch_target) => {
        term!($of, "branch_target", BRANCH_TARGETS, 1, "gas per target of br_table")
    };
    ($of:literal, data) => {
        term!($of, "data", HAS_DATA, 1, "with_data", "gas where there is active data")
    };
    ($of:literal, startup) => {
        term!($of, "startup", HAS_STARTUP, 1, "with_startup", "gas where there is active data or a start function")
    };
    ($of:literal, data_segment) => {
        term!($of, "data_segment", DATA_SEGMENTS, 1, "gas per data segment")
    };
    ($of:literal, data_page) => {
        term!($of, "data_page", DATA_SPAN, $crate::units::WASM_PAGE, "gas per 64 KiB that data spans")
    };
    ($of:literal, module_kib) => {
        term!($of, "module_kib", MODULE_BYTES, $crate::experiment::declared::KIB, "gas per KiB of the module")
    };
    ($of:literal, artifact_kib) => {
        term!($of, "artifact_kib", ARTIFACT_BYTES, $crate::experiment::declared::KIB, "gas per KiB of compiled code")
    };
    ($of:literal, $what:literal, $factor:ident, $per:expr, $unit:literal) => {
        term!($of, $what, $factor, $per, (concat!("contract_", $of, "_per_", $what)), $unit)
    };
    ($of:literal, $what:literal, $factor:ident, $per:expr, $parameter:literal, $unit:literal) => {
        term!($of, $what, $factor, $per, (concat!("contract_", $of, "_", $parameter)), $unit)
    };
    ($of:literal, $what:literal, $factor:ident, $per:expr, ($parameter:expr), $unit:literal) => {
        $crate::experiment::Term {
            name: concat!($of, "_", $what),
            column: $crate::experiment::Column::Level(&$crate::experiment::declared::$factor),
            per: $per,
            parameter: $crate::experiment::Parameter { name: $parameter, unit: $unit },
        }
    };
}

/// Several of them: `terms!("load": function, type)`.
macro_rules! terms {
    ($of:literal: $($what:tt),+ $(,)?) => { &[$(&term!($of, $what)),+] };
}

/// The charge by the size of a module alone.
macro_rules! by_size {
    ($of:literal) => {
        &$crate::experiment::BySize {
            base: $crate::experiment::Parameter {
                name: concat!("contract_", $of, "_by_size_base"),
                unit: "gas, beside gas per KiB of the module",
            },
            term: term!($of, module_kib),
        }
    };
}

pub(super) use {by_size, term, terms};

const fn regressor(name: &'static str, words: &'static str, factor: &'static Factor, per: u64) -> Regressor {
    Regressor { name, words, column: Column::Level(factor), per }
}

pub(super) static FUNCTION: Regressor = regressor("function", "a function", &FUNCTIONS, 1);
pub(super) static ESCAPE: Regressor = regressor("escape", "a function exported or in a table", &ESCAPES, 1);
pub(super) static ESCAPE_VALUE: Regressor = regressor("escape-value", "a value of such a function", &ESCAPE_VALUES, 1);
pub(super) static TYPE: Regressor = regressor("type", "a type", &TYPES, 1);
pub(super) static TYPE_VALUE: Regressor = regressor("type-value", "a value of a type", &TYPE_VALUES, 1);
pub(super) static GLOBAL: Regressor = regressor("global", "a global", &GLOBALS, 1);
pub(super) static IMPORT: Regressor = regressor("import", "an import", &IMPORTS, 1);
pub(super) static EXPORT: Regressor = regressor("export", "an export", &EXPORTS, 1);
pub(super) static ELEMENT: Regressor = regressor("element", "a table element", &ELEMENTS, 1);
pub(super) static NAME_KIB: Regressor = regressor("name-kib", "a KiB of names", &NAME_BYTES, KIB);
pub(super) static CODE_KIB: Regressor = regressor("code-kib", "a KiB of code", &CODE_BYTES, KIB);
pub(super) static KILO_INSTRUCTION: Regressor = regressor("kilo-instruction", "1000 instructions", &INSTRUCTIONS, 1000);
pub(super) static PASSED_VALUE: Regressor = regressor("passed-value", "a value that is passed", &PASSED_VALUES, 1);
pub(super) static CALL: Regressor = regressor("call", "a call", &CALLS, 1);
pub(super) static HEAVY_INSTRUCTION: Regressor =
    regressor("heavy-instruction", "a heavy instruction", &HEAVY_INSTRUCTIONS, 1);
pub(super) static INDIRECT_CALL: Regressor = regressor("indirect-call", "a call through a table", &INDIRECT_CALLS, 1);
pub(super) static RUNTIME_CALL: Regressor =
    regressor("runtime-call", "an instruction of the runtime", &RUNTIME_CALLS, 1);
pub(super) static LOCAL: Regressor = regressor("local", "a local", &LOCALS, 1);
pub(super) static LOCAL_GROUP: Regressor = regressor("local-group", "a group of locals", &LOCAL_GROUPS, 1);
pub(super) static BRANCH_TARGET: Regressor = regressor("branch-target", "a target of br_table", &BRANCH_TARGETS, 1);
pub(super) static DATA: Regressor = regressor("has-data", "having data", &HAS_DATA, 1);
pub(super) static STARTUP: Regressor = regressor("has-startup", "having data or a start function", &HAS_STARTUP, 1);
pub(super) static DATA_SEGMENT: Regressor = regressor("data-segment", "a data segment", &DATA_SEGMENTS, 1);
pub(super) static DATA_PAGE: Regressor = regressor("data-page", "64 KiB that data spans", &DATA_SPAN, WASM_PAGE);
pub(super) static ARTIFACT_KIB: Regressor = regressor("artifact-kib", "a KiB of compiled code", &ARTIFACT_BYTES, KIB);
