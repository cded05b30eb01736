//! What a verification found.

use serde::Serialize;

use crate::experiment::Experiment;
use crate::model::{Alternative, ChargeVerdict, Charged, ChargedPoint};
use crate::params::Objection;

/// A contract that could not be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unmeasured {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Real contracts held against their charges.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// What was measured of them.
    pub experiment: &'static Experiment,
    /// What other terms would charge, as far as a fit tells.
    pub alternatives: Vec<Alternative>,
    /// How they compare; `None` if nothing could be measured.
    pub charged: Option<Charged>,
    /// The contracts that could not be measured.
    pub unmeasured: Vec<Unmeasured>,
    /// What the table multiplies times by.
    pub safety_factor: f64,
    /// The reset strategy, that of the table.
    pub strategy: &'static str,
    /// Seed of the shuffles and resamples.
    pub seed: u64,
    /// What speaks against the table.
    pub objections: Vec<Objection>,
    /// Worker processes.
    pub processes: u32,
}

impl Verification {
    pub(super) fn points(&self) -> &[ChargedPoint] {
        self.charged.as_ref().map_or(&[], |charged| &charged.points)
    }

    pub(super) fn count(&self, verdict: ChargeVerdict) -> usize {
        self.points().iter().filter(|point| point.verdict == verdict).count()
    }

    /// How many contracts were measured, how, and what came out.
    #[must_use]
    pub(super) fn verdicts(&self, measured: usize, how: &str) -> String {
        format!(
            "{measured} contracts under {}, {how}, {} processes, seed {}: {} over their charge, {} unsure, {} covered; {} could not be measured.",
            self.strategy,
            self.processes,
            self.seed,
            self.count(ChargeVerdict::Over),
            self.count(ChargeVerdict::Unsure),
            self.count(ChargeVerdict::Covered),
            self.unmeasured.len(),
        )
    }
}
