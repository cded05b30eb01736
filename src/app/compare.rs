use std::path::PathBuf;

use super::chain::chain_of_run;
use super::error::Error;
use super::filter::Filter;
use super::in_force::THRESHOLD;
use super::mixing::Mixing;
use super::proposal::fit_settings;
use super::session::Session;
use super::stored::{run_folder, stored_samples};
use crate::measure::{RunFile, Samples};
use crate::model::{self, Comparison, FitSettings, Sides, of_strategy};

/// To hold one run, or one strategy of it, against another.
///
/// ```
/// use estimator::app::{CompareRequest, Session, Side, compare};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// let side = || Side::from("tests/data/run");
/// let comparison = compare(&CompareRequest::new(side(), side()), &Session::new())?;
/// println!("{:?}: B takes {:.3} times as long", comparison.overall.verdict, comparison.overall.ratio.value);
/// assert!((comparison.overall.ratio.value - 1.0).abs() < 1e-9, "a run held against itself");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CompareRequest {
    /// What the other is held against.
    pub a: Side,
    /// What is held against it.
    pub b: Side,
    /// Smallest change of practical interest, in percent.
    pub threshold: f64,
    /// What may be compared.
    pub mixing: Mixing,
    /// The points that are compared; `None` for all.
    pub filter: Option<Filter>,
}

impl CompareRequest {
    /// With a threshold of 2 %, between runs of one machine and contract set.
    #[must_use]
    pub fn new(a: Side, b: Side) -> Self {
        Self { a, b, threshold: THRESHOLD, mixing: Mixing::default(), filter: None }
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Folder of the run.
    pub run: PathBuf,
    /// The strategy to compare, whatever the other side's; `None` for all, each with itself.
    pub strategy: Option<String>,
}

impl<P: Into<PathBuf>> From<P> for Side {
    fn from(run: P) -> Self {
        Self { run: run.into(), strategy: None }
    }
}

/// Compares two sides.
///
/// # Errors
/// They do not go together or have no point in common, or a file is missing or broken.
pub fn compare(request: &CompareRequest, session: &Session<'_>) -> Result<Comparison, Error> {
    let (run_a, mut a, settings) = read(&request.a, session)?;
    let (run_b, mut b, _) = read(&request.b, session)?;
    let is_same = |a: &Side, b: &Side| a.strategy == b.strategy || a.strategy.is_none() || b.strategy.is_none();
    if run_a.run == run_b.run && is_same(&request.a, &request.b) {
        session.warn("both sides are of one run, in which nothing differs but the strategy: name one on each side, RUN@fresh-map RUN@pool-decommit");
    }
    if let Some(filter) = &request.filter {
        (a, b) = (filter.samples(&a)?, filter.samples(&b)?);
    }
    request.mixing.check(&run_a, &run_b)?;
    Ok(model::compare(&a, &b, sides(&run_a, &run_b), &settings, request.threshold / 100.0)?)
}

/// Whether two sides are of one run.
pub(super) fn sides(a: &RunFile, b: &RunFile) -> Sides {
    if a.run == b.run { Sides::OneRun } else { Sides::TwoRuns }
}

fn read(side: &Side, session: &Session<'_>) -> Result<(RunFile, Samples, FitSettings), Error> {
    let folder = run_folder(&side.run)?;
    let run = folder.read()?;
    let mut samples = stored_samples(&folder, &run, session)?;
    if let Some(strategy) = &side.strategy {
        samples = of_strategy(&samples, strategy);
        if samples.points.is_empty() {
            return Err(Error::Usage(format!("run {} has no samples under `{strategy}`", run.run)));
        }
    }
    let settings = fit_settings(&chain_of_run(&folder)?, run.plan.experiment, run.plan.seed);
    Ok((run, samples, settings))
}
