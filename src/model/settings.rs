//! What a fit can be asked for.

use serde::{Deserialize, Serialize};

use super::Statistic;
use super::error::ModelError;
use crate::experiment::Term;
use crate::experiment::memory::{PER_GROWN_PAGE, PER_PAGE};

/// Settings of a fit. The same settings and samples give the same fit to the last bit, on any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitSettings {
    /// The number that stands for a point's cycles.
    pub statistic: Statistic,
    /// Seed of the resamples and of the choice of held-out points.
    pub seed: u64,
    /// Number of resamples at each level; `None` chooses by the number of samples.
    pub resamples: Option<u32>,
    /// Share of the grid that is measured but held out of the validation fit.
    pub held_out: f64,
    /// Confidence of every interval.
    pub confidence: f64,
    /// What is charged for beside the base, the experiment's leading term first.
    pub terms: Vec<&'static Term>,
    /// What a charge is above the cost that it covers, 0.05 for 5 %.
    pub margin: f64,
    /// The widest simultaneous band with which a run may be signed, as a half-width: 0.06 for 6 %.
    pub noise_limit: f64,
}

impl Default for FitSettings {
    fn default() -> Self {
        Self {
            statistic: Statistic::Median,
            seed: 0,
            resamples: None,
            held_out: 0.2,
            confidence: 0.95,
            terms: vec![&PER_PAGE, &PER_GROWN_PAGE],
            margin: 0.05,
            noise_limit: 0.06,
        }
    }
}

impl FitSettings {
    /// Fewest resamples that are chosen: a standard error is then known to 5 %, as `1/√(2·resamples)`.
    pub const FEWEST_RESAMPLES: u32 = 200;
    /// Most resamples that are chosen: a standard error is then known to 2.2 %.
    pub const MOST_RESAMPLES: u32 = 1000;

    /// Checks the ranges.
    ///
    /// # Errors
    /// [`ModelError::Setting`] names the setting that is out of range.
    pub fn check(&self) -> Result<(), ModelError> {
        let setting = |name, value, range| Err(ModelError::Setting { name, value, range });
        if !(0.5..1.0).contains(&self.confidence) {
            return setting("confidence", self.confidence, "from 0.5 to below 1");
        }
        if !(0.0..=0.5).contains(&self.held_out) {
            return setting("held_out", self.held_out, "from 0 to 0.5");
        }
        match self.resamples {
            Some(resamples) if !(2..=100_000).contains(&resamples) => {
                setting("resamples", f64::from(resamples), "from 2 to 100000")
            }
            _ => Ok(()),
        }
    }

    /// Resamples taken at each level: as asked, otherwise 10^8 over the number of samples within
    /// [`Self::FEWEST_RESAMPLES`] and [`Self::MOST_RESAMPLES`], which keeps the time of a fit about constant up to half a
    /// million samples and linear from there.
    #[must_use]
    pub fn resamples_for(&self, samples: usize) -> u32 {
        self.resamples.unwrap_or_else(|| {
            u32::try_from(100_000_000 / samples.max(1))
                .unwrap_or(u32::MAX)
                .clamp(Self::FEWEST_RESAMPLES, Self::MOST_RESAMPLES)
        })
    }
}
