use std::path::PathBuf;

use super::chain::chain_of_run;
use super::error::Error;
use super::in_force::THRESHOLD;
use super::measure_run::measure_run;
use super::plan_request::PlanRequest;
use super::plan_run::plan_run;
use super::proposal::fit_settings;
use super::session::Session;
use super::stored::{run_folder, stored_samples};
use crate::measure::{RunFolder, Stop};
use crate::model::{self, Noise};

/// To find out how small a change this machine could detect.
///
/// ```
/// use estimator::app::{NoiseOutcome, NoiseRequest, Session, noise};
/// use estimator::report::{pages, render};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// let outcome = noise(&NoiseRequest::of_run("tests/data/run"), &Session::new())?;
/// if let NoiseOutcome::Found { run, noise } = outcome {
///     print!("{}", render::terminal(&pages::noise::page(&run, &noise)));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseRequest {
    /// What is split into halves that should be the same.
    pub source: NoiseSource,
    /// Smallest change of practical interest, in percent.
    pub threshold: f64,
}

/// What a [`NoiseRequest`] splits into halves.
#[derive(Debug, Clone, PartialEq)]
pub enum NoiseSource {
    /// A run that is measured for it.
    Measure(Box<PlanRequest>),
    /// The run in this folder.
    Stored(PathBuf),
}

impl NoiseRequest {
    /// Of a stored run, with a threshold of 2 %.
    #[must_use]
    pub fn of_run(run: impl Into<PathBuf>) -> Self {
        Self { source: NoiseSource::Stored(run.into()), threshold: THRESHOLD }
    }

    /// Of a run that is measured for it, with a threshold of 2 %.
    #[must_use]
    pub fn measuring(plan: PlanRequest) -> Self {
        Self { source: NoiseSource::Measure(Box::new(plan)), threshold: THRESHOLD }
    }
}

/// What came of a [`NoiseRequest`].
#[derive(Debug)]
pub enum NoiseOutcome {
    /// How the halves differ.
    Found {
        /// Name of the run.
        run: String,
        /// What was found.
        noise: Noise,
    },
    /// Measuring was stopped; what was measured is kept.
    Interrupted {
        /// Folder of the run.
        folder: RunFolder,
    },
}

/// Splits a run into halves that should be the same, and says how far they are not.
///
/// # Errors
/// As [`run()`](super::run()), or the run has too few processes to split.
pub fn noise(request: &NoiseRequest, session: &Session<'_>) -> Result<NoiseOutcome, Error> {
    let (folder, run) = match &request.source {
        NoiseSource::Stored(folder) => {
            let folder = run_folder(folder)?;
            let run = folder.read()?;
            (folder, run)
        }
        NoiseSource::Measure(plan) => {
            let mut planned = plan_run(plan, None, session)?;
            if measure_run(&mut planned, session)? == Stop::Interrupted {
                return Ok(NoiseOutcome::Interrupted { folder: planned.folder });
            }
            (planned.folder, planned.run)
        }
    };
    let samples = stored_samples(&folder, &run, session)?;
    let settings = fit_settings(&chain_of_run(&folder)?, run.plan.experiment, run.plan.seed);
    let noise = model::noise(&samples, &settings, request.threshold / 100.0)?;
    Ok(NoiseOutcome::Found { run: run.run, noise })
}
