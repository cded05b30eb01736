//! What moves the cost of a call: the process that it meets, and what ran before.

use super::Experiment;
use super::conditions::{CACHES, PREVIOUS, WRITE_WIDTH};
use super::memory::{DATA_BYTES, INITIAL_PAGES, SPEC, STACK_BYTES, TOUCHED_PAGES};
use super::node::{
    CALLING_THREADS, IDLE_THREADS, MAPPINGS, MODULES, PAGE_TABLES, RESERVED, RESIDENT, SPINNING_THREADS,
};

/// What moves the cost of a call.
///
/// Each property is compared with its absence within a run, where a reference probe would only be moved like the call.
pub static PROCESS: Experiment = Experiment {
    name: "process",
    about: "what moves the cost of a call: the process it meets, and what ran before",
    factors: &[
        &INITIAL_PAGES,
        &STACK_BYTES,
        &TOUCHED_PAGES,
        &DATA_BYTES,
        &PREVIOUS,
        &WRITE_WIDTH,
        &CACHES,
        &IDLE_THREADS,
        &SPINNING_THREADS,
        &CALLING_THREADS,
        &MAPPINGS,
        &RESIDENT,
        &PAGE_TABLES,
        &RESERVED,
        &MODULES,
    ],
    proposes: false,
    title: "Process of a call",
    reference: None,
    ..SPEC
};
