//! The smallest change that could be detected, from a run compared with itself.

use serde::{Deserialize, Serialize};

use super::compare::{Comparison, Sides, compare};
use super::{FitSettings, ModelError};
use crate::measure::Samples;

/// An A/A split: the processes of one run in turn to either side, as if they were two runs of half the budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// The halves compared. Any verdict of a change here is a false alarm.
    pub halves: Comparison,
    /// The smallest relative change that two runs of the *whole* budget would detect in 95 % of comparisons: 0.03 for 3 %.
    pub detectable: f64,
}

/// Splits a run of one or more strategies into halves and compares them.
///
/// Twice the measuring time makes errors smaller by √2, so what the halves could detect beyond the threshold is divided
/// by that for the whole.
///
/// # Errors
/// [`ModelError`] with fewer than 2 processes, or if a half allows no statistics.
pub fn noise(samples: &Samples, settings: &FitSettings, threshold: f64) -> Result<Noise, ModelError> {
    let mut processes: Vec<u32> = samples.places().iter().map(|place| place.process).collect();
    processes.sort_unstable();
    processes.dedup();
    if processes.len() < 2 {
        return Err(ModelError::NothingToSplit { processes: processes.len() });
    }
    // A, B, B, A, …: a steady drift falls on both sides alike.
    let in_a = |process: u32| {
        let place = processes.binary_search(&process).unwrap_or_else(|place| place);
        matches!(place % 4, 0 | 3)
    };
    let half = |side: bool| samples.changed(|_, place, _| (in_a(place.process) == side).then_some(place));
    let halves = compare(&half(true), &half(false), Sides::OneRun, settings, threshold)?;
    let detectable = halves.detectable;
    let limit = threshold.ln_1p();
    let beyond = (detectable.ln_1p() - limit) / std::f64::consts::SQRT_2;
    Ok(Noise { halves, detectable: (limit + beyond).exp_m1() })
}
