//! Which reset strategy is cheapest where: by pages, touched share, the tenant before, and what goes on beside.

use super::conditions::{CACHES, PREVIOUS, THREADS, WRITE_WIDTH};
use super::factor::joined;
use super::memory::{CALL_FACTORS, SPEC};
use super::node::SPINNING_THREADS;
use super::{Experiment, Factor};

static FACTORS: [&Factor; 9] =
    joined(&[CALL_FACTORS, &[&PREVIOUS, &WRITE_WIDTH, &THREADS, &CACHES, &SPINNING_THREADS]]);

/// Which reset strategy is cheapest where.
///
/// Strategies are compared within a run, where a reference probe would only take the time of cycles.
pub static STRATEGIES: Experiment = Experiment {
    name: "strategies",
    about: "which reset strategy is cheapest where",
    factors: &FACTORS,
    proposes: false,
    ranks: true,
    title: "Reset strategies",
    reference: None,
    ..SPEC
};
