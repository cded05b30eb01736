//! What worker processes say, one JSON object a line.

use serde::{Deserialize, Serialize};

use crate::runtime::WASMTIME_VERSION;

/// The build of this program, as far as it decides what is measured and how it is said. Samples of two builds do not belong into
/// one run, and a worker may be another program than its supervisor.
#[must_use]
pub fn build() -> String {
    let profile = if cfg!(debug_assertions) { "with debug assertions" } else { "release" };
    format!("estimator {}, Wasmtime {WASMTIME_VERSION}, {profile}", env!("CARGO_PKG_VERSION"))
}

/// What a worker tells its supervisor, one JSON object a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// The first of all: which build it is.
    Hello {
        /// As [`build()`].
        build: String,
    },
    /// It is about to compile the contract of this point, or to load what was compiled.
    Loading {
        /// Index into the plan's points.
        point: u32,
    },
    /// It is about to run this point for the first time.
    Checking {
        /// Index into the plan's points.
        point: u32,
    },
    /// What was checked is now measured without being recorded.
    Warming,
    /// The warm-up is over. The worker now measures a round for each line `go` on its standard input.
    Warm {
        /// Nanoseconds that a round will take, by the warm-up.
        round_ns: u64,
    },
    /// A whole round, in the order in which it was measured.
    Round {
        /// Counted from 0.
        round: u32,
        /// The cycles.
        cycles: Vec<Measured>,
    },
    /// The times of probes, for each of the sizes that were asked for.
    Probed {
        /// In nanoseconds.
        times: Vec<Vec<u64>>,
    },
    /// A strategy cannot be set up on this machine beside those before it. It goes on with the others.
    Unfit {
        /// Its name.
        strategy: String,
        /// Why.
        reason: String,
    },
    /// A real contract cannot be measured. It goes on with the others.
    Refused {
        /// Index into the plan's points.
        point: u32,
        /// Why.
        reason: String,
    },
    /// The last of all: its work is done.
    Done,
    /// It cannot go on.
    Failed {
        /// The error with its causes.
        error: String,
    },
}

/// One cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Index into the plan's points.
    pub point: u32,
    /// The experiment's values, in the order of [`Experiment::columns`](crate::experiment::Experiment::columns).
    pub values: Vec<u64>,
}
