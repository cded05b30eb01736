use std::path::{Path, PathBuf};

use super::analysis::Analysis;
use super::error::Error;
use super::event::Event;
use super::in_force::TableInForce;
use super::measure_run::measure_run;
use super::overrides::Overrides;
use super::plan_request::PlanRequest;
use super::plan_run::plan_run;
use super::planned::PlannedRun;
use super::resume::resume_run;
use super::session::Session;
use crate::files::check_place;
use crate::measure::{RunFile, RunFolder, Stop};

/// To compile contracts, measure them, fit the model, and propose the fee.
///
/// ```no_run
/// use estimator::app::{PlanRequest, RunOutcome, RunRequest, Session, run};
/// use estimator::measure::Profile;
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// estimator::app::serve_if_worker();
/// let plan = PlanRequest { profile: Profile::QUICK, ..PlanRequest::default() };
/// let request = RunRequest { plan, ..RunRequest::default() };
/// if let RunOutcome::Analysed(analysis) = run(&request, &Session::new())? {
///     println!("{}", analysis.markdown());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// What is measured, for how long, and where it is kept.
    pub plan: PlanRequest,
    /// The table to write.
    pub params: PathBuf,
    /// The table in force that the proposal is held against; `None` for `params/current.toml` if it is there.
    pub current: Option<PathBuf>,
}

impl Default for RunRequest {
    fn default() -> Self {
        Self { plan: PlanRequest::default(), params: "params/proposed.toml".into(), current: None }
    }
}

/// To go on with a run that was interrupted or killed.
///
/// ```no_run
/// use estimator::app::{ResumeRequest, Session, resume};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// estimator::app::serve_if_worker();
/// resume(&ResumeRequest::new("reports/latest"), &Session::new())?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumeRequest {
    /// Folder of the run.
    pub run: PathBuf,
    /// The table to write.
    pub params: PathBuf,
    /// The table in force that the proposal is held against; `None` for the one that the run keeps.
    pub current: Option<PathBuf>,
}

impl ResumeRequest {
    /// Of the run in this folder.
    #[must_use]
    pub fn new(run: impl Into<PathBuf>) -> Self {
        let RunRequest { params, current, .. } = RunRequest::default();
        Self { run: run.into(), params, current }
    }
}

/// What came of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// Its fit, with the table if it was not rejected.
    Analysed(Box<Analysis>),
    /// A shard is measured, which is fitted with the others.
    Shard {
        /// The run.
        run: Box<RunFile>,
        /// Its folder.
        folder: RunFolder,
    },
    /// It was stopped. What was measured is kept, and can go on.
    Interrupted {
        /// The run. It has no `rounds` if nothing was measured.
        run: Box<RunFile>,
        /// Its folder.
        folder: RunFolder,
    },
}

/// Carries a run out from contracts to the proposed table.
///
/// # Errors
/// A contract is at fault, a worker process fails, or a file cannot be written. What was measured before is kept. A fit that must
/// not be used is no error.
pub fn run(request: &RunRequest, session: &Session<'_>) -> Result<RunOutcome, Error> {
    check_place(&request.params).map_err(Error::Usage)?;
    // Before it takes minutes.
    let current = request.current.as_deref().map(TableInForce::named).transpose()?;
    let in_force = current.clone().or_else(|| TableInForce::usual(request.plan.experiment, session));
    let planned = plan_run(&request.plan, in_force.as_ref(), session)?;
    finish(planned, &request.params, current, session)
}

/// Goes on with a run, up to the proposed table. One that has measured everything is fitted again.
///
/// # Errors
/// As [`run()`], and the run cannot go on here.
pub fn resume(request: &ResumeRequest, session: &Session<'_>) -> Result<RunOutcome, Error> {
    check_place(&request.params).map_err(Error::Usage)?;
    let current = request.current.as_deref().map(TableInForce::named).transpose()?;
    finish(resume_run(&request.run)?, &request.params, current, session)
}

fn finish(
    mut planned: PlannedRun,
    params: &Path,
    current: Option<TableInForce>,
    session: &Session<'_>,
) -> Result<RunOutcome, Error> {
    session.tell(Event::Run { run: &planned.run, folder: planned.folder.path() });
    let stop = match planned.run.stopped {
        Some(stop) if stop != Stop::Interrupted => stop,
        _ => measure_run(&mut planned, session)?,
    };
    let PlannedRun { folder, run, .. } = planned;
    if stop == Stop::Interrupted {
        return Ok(RunOutcome::Interrupted { run: Box::new(run), folder });
    }
    if run.shard.is_some() {
        return Ok(RunOutcome::Shard { run: Box::new(run), folder });
    }
    let analysis = Analysis::of_run(folder, Overrides { current, ..Overrides::default() }, session)?;
    analysis.publish(params, session)?;
    Ok(RunOutcome::Analysed(Box::new(analysis)))
}
