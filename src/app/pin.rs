use std::path::{Path, PathBuf};

use super::chain::chain_of_run;
use super::error::Error;
use super::proposal::fit_settings;
use super::session::Session;
use super::stored::{machine_class, run_folder, stored_samples};
use crate::files::check_place;
use crate::measure::{RunFile, Samples};
use crate::model::{Reference, Refusal, fit};
use crate::params::{Measured, ReferenceMachine};
use crate::units::Pages;

/// To pin the machine that fees are stated on, from several quiet runs, hours apart.
///
/// ```
/// use estimator::app::{PinRequest, Session, pin};
///
/// # let folder = tempfile::tempdir().unwrap();
/// let request = PinRequest { out: folder.path().join("reference.toml"), ..PinRequest::new(vec!["reports/example".into()]) };
/// let pinned = pin(&request, &Session::new()).unwrap();
/// assert_eq!(pinned.probe, 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinRequest {
    /// Folders of runs, at least one.
    pub runs: Vec<PathBuf>,
    /// The name that tables will carry; `None` for the machine class and the day of the newest run.
    pub name: Option<String>,
    /// The file to write.
    pub out: PathBuf,
}

impl PinRequest {
    /// Of these runs, into `params/reference.toml`.
    #[must_use]
    pub fn new(runs: Vec<PathBuf>) -> Self {
        Self { runs, name: None, out: "params/reference.toml".into() }
    }
}

/// Probes of so many pages and more are alike in quiet runs of one machine.
const LARGE: Pages = Pages(64);

/// How far the large probes of a run may be from those of all.
const APART: f64 = 0.1;

/// Makes a reference of runs and writes it.
///
/// # Errors
/// Runs are of several machines or were measured otherwise; one is too noisy, or slower than the others; a file cannot be read or
/// written.
pub fn pin(request: &PinRequest, session: &Session<'_>) -> Result<ReferenceMachine, Error> {
    check_place(&request.out).map_err(Error::Usage)?;
    let runs = request.runs.iter().map(|run| read(run, session)).collect::<Result<Vec<_>, _>>()?;
    let Some((first, _, strategy)) = runs.first() else { return Err(Error::Usage("no run is named".into())) };
    for (run, ..) in &runs {
        together(first, run)?;
    }
    let newest = runs.iter().map(|(run, ..)| &run.created).max();
    let day = newest.and_then(|created| created.get(..10)).unwrap_or_default();
    let name = request.name.clone().unwrap_or_else(|| format!("{}-{day}", machine_class(first)));
    let samples: Vec<&Samples> = runs.iter().map(|(_, samples, _)| samples).collect();
    let none = || Error::Failed(format!("run {} has cycles without a probe", first.run));
    let reference = Reference::of_runs(name, &samples, strategy).ok_or_else(none)?;
    for (run, samples, strategy) in &runs {
        let own = Reference::of_run(samples, strategy).ok_or_else(none)?;
        alike(&reference, &own, run)?;
    }
    let measured = Measured {
        machine: &first.machine,
        probe: first.plan.probe,
        evict: first.plan.evict,
        runs: runs.iter().map(|(run, ..)| format!("{}, {}", run.run, run.created)).collect(),
    };
    let unknown = || Error::Incompatible(format!("run {} does not say what machine it is of", first.run));
    let pinned = ReferenceMachine::new(reference, measured).ok_or_else(unknown)?;
    pinned.save(&request.out)?;
    Ok(pinned)
}

/// A run that may be a part of a reference, with its samples and the strategy that its probes are beside.
fn read(run: &Path, session: &Session<'_>) -> Result<(RunFile, Samples, String), Error> {
    let folder = run_folder(run)?;
    let run = folder.read()?;
    let samples = stored_samples(&folder, &run, session)?;
    let chain = chain_of_run(&folder)?;
    let fit = fit(&samples, &fit_settings(&chain, run.plan.seed), None, &chain.strategy)?;
    if let Some(rejected) = fit.rejected.first() {
        return Err(Error::Rejected(format!("run {} is no part of a reference: {rejected}", run.run)));
    }
    if let Some(noisy) = fit.refused.iter().find(|refused| matches!(refused, Refusal::TooNoisy { .. })) {
        return Err(Error::Unsure(format!("run {} is no part of a reference: {noisy}", run.run)));
    }
    Ok((run, samples, chain.strategy))
}

fn together(one: &RunFile, other: &RunFile) -> Result<(), Error> {
    let facts = |run: &RunFile| {
        let plan = &run.plan;
        [("machine class", machine_class(run)), ("probe", plan.probe.to_string()), ("eviction", plan.evict.to_string())]
    };
    let differ = facts(one).into_iter().zip(facts(other)).find(|((_, one), (_, other))| one != other);
    differ.map_or(Ok(()), |((what, its), (_, others))| {
        let text = format!("{} has {what} {its} and {} has {others}: a reference is one machine", one.run, other.run);
        Err(Error::Incompatible(text))
    })
}

/// Makes sure that a run's large probes are those of all: a steady neighbour makes all of them slower, and no interval wider.
fn alike(reference: &Reference, own: &Reference, run: &RunFile) -> Result<(), Error> {
    for time in own.probes.iter().filter(|time| time.touched_pages >= LARGE) {
        let off = time.nanos.value / reference.nanos(time.touched_pages, time.data_bytes) - 1.0;
        if off.abs() > APART {
            return Err(Error::Unsure(format!(
                "the probes of run {} at {} are off from those of all runs by {:+.0} %, and quiet runs are within {:.0} %: leave it \
                 out or measure again",
                run.run,
                time.touched_pages,
                off * 100.0,
                APART * 100.0
            )));
        }
    }
    Ok(())
}
