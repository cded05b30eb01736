//! What a verification found.

use jiff::SignedDuration;
use serde::Serialize;

use crate::experiment::Experiment;
use crate::model::{Alternative, ChargeVerdict, Charged, ChargedPoint, longer};
use crate::params::{Beyond, Objection};
use crate::text::{counted, listed};

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
    /// What contracts declare beyond what the table was measured with, by their names.
    pub beyond: Vec<(String, Vec<Beyond>)>,
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
    /// How long it measured.
    pub budget: SignedDuration,
}

impl Verification {
    pub(super) fn points(&self) -> &[ChargedPoint] {
        self.charged.as_ref().map_or(&[], |charged| &charged.points)
    }

    pub(super) fn count(&self, verdict: ChargeVerdict) -> usize {
        self.points().iter().filter(|point| point.verdict == verdict).count()
    }

    /// What it would take to be sure of those that are not.
    pub(super) fn longer(&self) -> Option<String> {
        let unsure: Vec<&ChargedPoint> = self.points().iter().filter(|point| point.times_longer.is_some()).collect();
        let who = match &unsure[..] {
            [] => return None,
            [one] => one.fit.point.contract.clone(),
            several => format!("all {} that are unsure", several.len()),
        };
        let times = unsure.iter().filter_map(|point| point.times_longer).fold(1.0, f64::max);
        if times.is_infinite() {
            return Some(format!(
                "To be sure of {who}: cost and charge differ by less than runs do, so that no length would do."
            ));
        }
        let seconds = (self.budget.as_secs_f64() * times.max(1.1)).ceil();
        Some(format!("To be sure of {who}: {} (--budget {seconds}s).", longer(times)))
    }

    /// What lies beyond the limits of the table, in a line for each contract.
    pub(super) fn beyond_lines(&self) -> Vec<String> {
        self.beyond.iter().map(|(contract, levels)| format!("{contract}: {}", listed(levels))).collect()
    }

    /// How many contracts were measured, how, and what came out.
    #[must_use]
    pub(super) fn verdicts(&self, measured: usize, how: &str) -> String {
        format!(
            "{} under {}, {how}, {}, seed {}: {} over their charge, {} unsure, {} covered; {} could not be measured.",
            counted(measured, "contract", "contracts"),
            self.strategy,
            counted(self.processes, "process", "processes"),
            self.seed,
            self.count(ChargeVerdict::Over),
            self.count(ChargeVerdict::Unsure),
            self.count(ChargeVerdict::Covered),
            self.unmeasured.len(),
        )
    }
}
