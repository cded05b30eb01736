//! The fee of deploying: what whoever brings a contract pays for its validation, and for its compilation.

use super::declared::{
    BRANCH_TARGET, BRANCH_TARGETS, CALL, CALLS, CODE_BYTES, DATA_PAGE, DATA_SEGMENT, DATA_SEGMENTS, DATA_SPAN, ELEMENT,
    ELEMENTS, ESCAPE, ESCAPE_VALUE, ESCAPE_VALUES, ESCAPES, EXPORT, EXPORTS, FUNCTION, FUNCTION_INSTRUCTIONS,
    FUNCTIONS, GLOBAL, GLOBALS, HAS_STARTUP, HEAVY_INSTRUCTION, HEAVY_INSTRUCTIONS, IMPORT, IMPORTS, INDIRECT_CALL,
    INDIRECT_CALLS, INSTRUCTIONS, KILO_INSTRUCTION, LOCAL, LOCAL_GROUP, LOCAL_GROUPS, LOCALS, MODULE_BYTES, NAME_BYTES,
    NAME_KIB, PASSED_VALUE, PASSED_VALUES, RUNTIME_CALL, RUNTIME_CALLS, STACK_HEIGHT, STARTUP, TYPE, TYPE_VALUE,
    TYPE_VALUES, TYPES, USED_LOCALS, WORST_MIX, by_size, term, terms,
};
use super::load::SPEC;
use super::{BetweenRuns, Column, Experiment, Factor, Parameter, Phase, Price};

static FACTORS: [&Factor; 28] = [
    &FUNCTIONS,
    &ESCAPES,
    &ESCAPE_VALUES,
    &TYPES,
    &TYPE_VALUES,
    &GLOBALS,
    &IMPORTS,
    &EXPORTS,
    &ELEMENTS,
    &NAME_BYTES,
    &CODE_BYTES,
    &INSTRUCTIONS,
    &HEAVY_INSTRUCTIONS,
    &PASSED_VALUES,
    &CALLS,
    &INDIRECT_CALLS,
    &RUNTIME_CALLS,
    &LOCALS,
    &LOCAL_GROUPS,
    &BRANCH_TARGETS,
    &FUNCTION_INSTRUCTIONS,
    &USED_LOCALS,
    &STACK_HEIGHT,
    &HAS_STARTUP,
    &DATA_SEGMENTS,
    &DATA_SPAN,
    &MODULE_BYTES,
    &WORST_MIX,
];

/// The contract whose modules vary one factor at a time.
pub const CONTRACT: &str = "deploy";
/// The contract whose modules mix the factors, as real ones do: none of them is in the fit that the others are validated by.
pub const MIXED: &str = "deploy-mixed";
/// The contract whose modules are made of what takes longest.
pub const HOSTILE: &str = "deploy-hostile";

/// What the terms of all three are, by the name that their parameters have.
macro_rules! deployed {
    ($of:literal) => {
        terms!($of:
            kilo_instruction, heavy_instruction, passed_value, call, indirect_call, runtime_call, function, escape, escape_value, type, type_value, global, import, export, element, name_kib, local,
            local_group, branch_target, startup, data_segment, data_page)
    };
}

/// A charge covers modules of the worst mix of instructions, which no line goes through: what they cost is no sum of their parts.
const DEPLOYED: Experiment = Experiment {
    name: "deploy-validate",
    about: "the fee of validating a contract",
    factors: &FACTORS,
    phases: &[Phase { name: "validate", price: Price::Added, touches: false }],
    base: Parameter { name: "contract_validate_base", unit: "gas per validation" },
    terms: deployed!("validate"),
    line: &[
        &KILO_INSTRUCTION,
        &HEAVY_INSTRUCTION,
        &PASSED_VALUE,
        &CALL,
        &INDIRECT_CALL,
        &RUNTIME_CALL,
        &FUNCTION,
        &ESCAPE,
        &ESCAPE_VALUE,
        &TYPE,
        &TYPE_VALUE,
        &GLOBAL,
        &IMPORT,
        &EXPORT,
        &ELEMENT,
        &NAME_KIB,
        &LOCAL,
        &LOCAL_GROUP,
        &BRANCH_TARGET,
        &STARTUP,
        &DATA_SEGMENT,
        &DATA_PAGE,
    ],
    // Registers are given to all that one function holds at once: what an instruction costs grows with the function.
    limits: &[&FUNCTION_INSTRUCTIONS, &USED_LOCALS, &STACK_HEIGHT],
    // What the worst mix costs most of.
    leading: &INSTRUCTIONS,
    beyond_line: Some(Column::Level(&WORST_MIX)),
    title: "Validation fee",
    worst_case: "private caches cold",
    table: "params/proposed-deploy-validate.toml",
    held_out: Some(MIXED),
    by_size: Some(by_size!("validate")),
    ..SPEC
};

/// The fee of validation.
pub static VALIDATE: Experiment = DEPLOYED;

/// Whichever compiler it is.
const COMPILED: Experiment = Experiment {
    phases: &[Phase { name: "compile", price: Price::Added, touches: false }],
    // A compiler does next to nothing of what the probe does, and a host that slows both slows them by as much as a tenth differently.
    least_margin: 0.2,
    between_runs: BETWEEN_RUNS,
    ..DEPLOYED
};

/// Over three runs of Winch within 80 minutes on a shared machine the mean of the logarithms over 79 modules that all had moved by 9 % at most, and
/// single modules by 1.8 % about it; taken for Cranelift too.
const BETWEEN_RUNS: BetweenRuns = BetweenRuns { class: |_| 0.02, common: 0.06 };

/// The fee of compilation by Cranelift, which validates as it compiles.
pub static CRANELIFT: Experiment = Experiment {
    name: "deploy-cranelift",
    about: "the fee of compiling a contract with Cranelift",
    base: Parameter { name: "contract_cranelift_base", unit: "gas per compilation" },
    terms: deployed!("cranelift"),
    title: "Fee of compiling with Cranelift",
    table: "params/proposed-deploy-cranelift.toml",
    by_size: Some(by_size!("cranelift")),
    ..COMPILED
};

/// The fee of compilation by Winch, which validates as it compiles.
pub static WINCH: Experiment = Experiment {
    name: "deploy-winch",
    about: "the fee of compiling a contract with Winch",
    base: Parameter { name: "contract_winch_base", unit: "gas per compilation" },
    terms: deployed!("winch"),
    title: "Fee of compiling with Winch",
    table: "params/proposed-deploy-winch.toml",
    by_size: Some(by_size!("winch")),
    ..COMPILED
};
