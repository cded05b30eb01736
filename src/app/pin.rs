use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::chain::chain_of_run;
use super::error::Error;
use super::proposal::fit_settings;
use super::session::Session;
use super::stored::{machine_class, run_folder, stored_samples};
use crate::experiment::Levels;
use crate::files::check_place;
use crate::measure::{RunFile, Samples};
use crate::model::{FitSettings, Reference, Refusal, Surcharge, fit, surcharges};
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
/// assert_eq!(pinned.probe, 3);
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

/// The widest half-width of a surcharge that is worth pinning: about what a single run of a minute knows.
const LOOSE: f64 = 0.2;

/// Makes a reference of runs and writes it.
///
/// # Errors
/// Runs are of several machines or were measured otherwise; one is too noisy, or slower than the others; a file cannot be read or
/// written.
pub fn pin(request: &PinRequest, session: &Session<'_>) -> Result<ReferenceMachine, Error> {
    check_place(&request.out).map_err(Error::Usage)?;
    let runs = request.runs.iter().map(|run| read(run, session)).collect::<Result<Vec<_>, _>>()?;
    let Some(Part { run: first, strategy, .. }) = runs.first() else {
        return Err(Error::Usage("no run is named".into()));
    };
    runs.iter().try_for_each(|part| together(first, &part.run))?;
    let newest = runs.iter().map(|part| &part.run.created).max();
    let day = newest.and_then(|created| created.get(..10)).unwrap_or_default();
    let name = request.name.clone().unwrap_or_else(|| format!("{}-{day}", machine_class(first)));
    let samples: Vec<&Samples> = runs.iter().map(|part| &part.samples).collect();
    let mut reference = Reference::of_runs(name, &samples, strategy).ok_or_else(|| without_probe(first))?;
    runs.iter().try_for_each(|part| alike(&reference, &part.own, &part.run))?;
    reference.surcharges = surcharges_of(&runs, &reference)?;
    let measured = Measured {
        machine: &first.machine,
        probe: first.plan.probe,
        evict: first.plan.evict,
        runs: runs.iter().map(|part| format!("{}, {}", part.run.run, part.run.created)).collect(),
    };
    let unknown = || Error::Incompatible(format!("run {} does not say what machine it is of", first.run));
    let pinned = ReferenceMachine::new(reference, measured).ok_or_else(unknown)?;
    pinned.save(&request.out)?;
    Ok(pinned)
}

/// What surroundings add to small calls, by strategy and surroundings.
fn surcharges_of(runs: &[Part], reference: &Reference) -> Result<Vec<Surcharge>, Error> {
    let mut found: BTreeMap<(String, Levels), Vec<Surcharge>> = BTreeMap::new();
    for part in runs {
        for surcharge in surcharges(&part.samples, &part.strategy, reference, &part.settings)? {
            found.entry((surcharge.strategy.clone(), surcharge.met.clone())).or_default().push(surcharge);
        }
    }
    let pinned: Vec<Surcharge> = found.into_values().filter_map(|of_runs| Surcharge::mean(&of_runs)).collect();
    if let Some(loose) = pinned.iter().find(|of| of.half_width.is_nan() || of.half_width > LOOSE) {
        return Err(Error::Unsure(format!(
            "what small calls ({}) pay more is known to ±{:.0} % by these runs, and ±{:.0} % is the most: name more runs",
            loose.met.process(),
            loose.half_width * 100.0,
            LOOSE * 100.0
        )));
    }
    Ok(pinned)
}

/// A run that may be a part of a reference.
struct Part {
    run: RunFile,
    samples: Samples,
    /// The strategy that its probes are beside.
    strategy: String,
    settings: FitSettings,
    /// Its own medians.
    own: Reference,
}

fn without_probe(run: &RunFile) -> Error {
    Error::Failed(format!("run {} has cycles without a probe", run.run))
}

/// A run with nothing against it: what its surroundings add to small calls may be noisy, since several runs are to tell it.
fn read(run: &Path, session: &Session<'_>) -> Result<Part, Error> {
    let folder = run_folder(run)?;
    let run = folder.read()?;
    let samples = stored_samples(&folder, &run, session)?;
    let chain = chain_of_run(&folder)?;
    let (strategy, settings) = (chain.strategy.clone(), fit_settings(&chain, run.plan.experiment, run.plan.seed));
    let mut own = Reference::of_run(&samples, &strategy).ok_or_else(|| without_probe(&run))?;
    own.surcharges = surcharges(&samples, &strategy, &own, &settings)?;
    let fit = fit(&samples, &settings, Some(&own), &strategy)?;
    if let Some(rejected) = fit.rejected.first() {
        return Err(Error::Rejected(format!("run {} is no part of a reference: {rejected}", run.run)));
    }
    if let Some(noisy) = fit.refused.iter().find(|refused| matches!(refused, Refusal::TooNoisy { .. })) {
        return Err(Error::Unsure(format!("run {} is no part of a reference: {noisy}", run.run)));
    }
    Ok(Part { run, samples, strategy, settings, own })
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
