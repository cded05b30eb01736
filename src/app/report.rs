use std::path::{Path, PathBuf};

use super::analysis::Analysis;
use super::chain::chain_of_run;
use super::compare::sides;
use super::error::Error;
use super::filter::Filter;
use super::in_force::{THRESHOLD, TableInForce};
use super::mixing::Mixing;
use super::overrides::Overrides;
use super::proposal::fit_settings;
use super::reference::load_reference;
use super::session::Session;
use super::stored::{run_folder, stored_samples};
use super::workload::NamedWorkload;
use crate::measure::{RunFile, RunFolder};
use crate::model::{Comparison, compare};
use crate::report::Pair;

/// To analyse a stored run for a report, or two for a report of both.
///
/// ```
/// use estimator::app::{ReportRequest, Reported, Session, report};
/// use estimator::report::{pages, render};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// let two = ReportRequest { other: Some("tests/data/run".into()), ..ReportRequest::new("tests/data/run") };
/// if let Reported::Two(two) = report(&two, &Session::new())? {
///     println!("{}", render::markdown(&pages::pair::page(&two.pair())));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ReportRequest {
    /// Folder of the run.
    pub run: PathBuf,
    /// That of a second, to be held against it.
    pub other: Option<PathBuf>,
    /// The table in force that proposals are held against; `None` for the one that each run keeps.
    pub current: Option<PathBuf>,
    /// The mix of calls that strategies are compared for; `None` for the one that each run keeps.
    pub workload: Option<PathBuf>,
    /// Another reference machine than the one that the runs were planned with.
    pub reference: Option<PathBuf>,
    /// Smallest change of practical interest, in percent.
    pub threshold: f64,
    /// What may be compared.
    pub mixing: Mixing,
    /// The points that are shown; `None` for all.
    pub filter: Option<Filter>,
}

impl ReportRequest {
    /// Of one run, with a threshold of 2 %.
    #[must_use]
    pub fn new(run: impl Into<PathBuf>) -> Self {
        Self {
            run: run.into(),
            other: None,
            current: None,
            workload: None,
            reference: None,
            threshold: THRESHOLD,
            mixing: Mixing::default(),
            filter: None,
        }
    }
}

/// What came of a [`ReportRequest`].
#[derive(Debug)]
pub enum Reported {
    /// One run.
    One(Box<Analysis>),
    /// Two runs.
    Two(Box<ReportedPair>),
}

/// Two runs side by side.
#[derive(Debug)]
pub struct ReportedPair {
    /// The first.
    pub a: Analysis,
    /// The second.
    pub b: Analysis,
    /// The second held against the first.
    pub comparison: Comparison,
}

impl ReportedPair {
    /// What the reports tell.
    #[must_use]
    pub fn pair(&self) -> Pair<'_> {
        Pair { a: self.a.story(), b: self.b.story(), comparison: &self.comparison }
    }
}

/// Analyses one run or two. Nothing is written: [`Analysis::write`] does that.
///
/// # Errors
/// Runs do not go together, a file is missing or broken, or the samples allow no statistics.
pub fn report(request: &ReportRequest, session: &Session<'_>) -> Result<Reported, Error> {
    let current = request.current.as_deref().map(TableInForce::named).transpose()?;
    let workload = request.workload.as_deref().map(NamedWorkload::named).transpose()?;
    let reference = request.reference.as_deref().map(load_reference).transpose()?.map(|(reference, _)| reference);
    let with = Overrides { chain: None, reference, current, workload, filter: request.filter.clone() };
    let analysis = |run: &Path| {
        let analysis = Analysis::of_run(run_folder(run)?, with.clone(), session)?;
        Ok::<_, Error>(analysis.beyond(request.threshold))
    };
    let Some(other) = &request.other else { return Ok(Reported::One(Box::new(analysis(&request.run)?))) };
    let (folder_a, folder_b) = (run_folder(&request.run)?, run_folder(other)?);
    let (run_a, run_b) = (folder_a.read()?, folder_b.read()?);
    request.mixing.check(&run_a, &run_b)?;
    let settings = fit_settings(&chain_of_run(&folder_a)?, run_a.plan.experiment, run_a.plan.seed);
    let samples = |folder: &RunFolder, run: &RunFile| {
        let samples = stored_samples(folder, run, session)?;
        match &request.filter {
            Some(filter) => filter.samples(&samples),
            None => Ok(samples),
        }
    };
    let (samples_a, samples_b) = (samples(&folder_a, &run_a)?, samples(&folder_b, &run_b)?);
    let comparison = compare(&samples_a, &samples_b, sides(&run_a, &run_b), &settings, request.threshold / 100.0)?;
    let (a, b) = (analysis(&request.run)?, analysis(other)?);
    Ok(Reported::Two(Box::new(ReportedPair { a, b, comparison })))
}
