//! What moves the cost of a call: the process that it meets, and what ran before.

use super::conditions::{CACHES, PREVIOUS, WRITE_WIDTH};
use super::factor::joined;
use super::memory::{CALL_FACTORS, SPEC};
use super::node::PROCESS_FACTORS;
use super::{Experiment, Factor};

static FACTORS: [&Factor; 15] = joined(&[CALL_FACTORS, &[&PREVIOUS, &WRITE_WIDTH, &CACHES], PROCESS_FACTORS]);

/// What moves the cost of a call.
///
/// Each property is compared with its absence within a run, where a reference probe would only be moved like the call.
pub static PROCESS: Experiment = Experiment {
    name: "process",
    about: "what moves the cost of a call: the process it meets, and what ran before",
    factors: &FACTORS,
    proposes: false,
    beside: false,
    title: "Process of a call",
    reference: None,
    ..SPEC
};
