//! Which reset strategy is cheapest where: by pages, touched share, the tenant before, and what goes on beside.

use super::Experiment;
use super::conditions::{CACHES, PREVIOUS, THREADS, WRITE_WIDTH};
use super::memory::{DATA_BYTES, INITIAL_PAGES, SPEC, STACK_BYTES, TOUCHED_PAGES};
use super::node::SPINNING_THREADS;

/// Which reset strategy is cheapest where.
///
/// Strategies are compared within a run, where a reference probe would only take the time of cycles.
pub static STRATEGIES: Experiment = Experiment {
    name: "strategies",
    about: "which reset strategy is cheapest where",
    factors: &[
        &INITIAL_PAGES,
        &STACK_BYTES,
        &TOUCHED_PAGES,
        &DATA_BYTES,
        &PREVIOUS,
        &WRITE_WIDTH,
        &THREADS,
        &CACHES,
        &SPINNING_THREADS,
    ],
    proposes: false,
    ranks: true,
    title: "Reset strategies",
    reference: None,
    ..SPEC
};
