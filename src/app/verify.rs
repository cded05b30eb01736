use std::io::BufRead;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;

use super::analysis::FIT;
use super::choose::{fitness, limit};
use super::error::{Error, system};
use super::gathered::Gathered;
use super::measure_real::{Measured, measure_contracts};
use super::plan_run::{evicting_as, new_seed, tell_hazards};
use super::price::prices_memory;
use super::proposal::fit_settings;
use super::session::Session;
use super::tables::TableSource;
use crate::contract::reads_levels;
use crate::experiment::{EXPERIMENTS, Experiment, MEMORY};
use crate::host::Host;
use crate::measure::real::Job;
use crate::measure::{PROBE, Plan, Samples, evicting};
use crate::model::{Alternative, ChargeVerdict, Charged, Fit, Reference, charged};
use crate::params::{Beyond, ChainSettings, ParamTable, charges_before_safety};
use crate::report::Verification;
use crate::runtime;
use crate::text::read_text;

/// To measure real contracts and hold them against what they would pay.
///
/// ```no_run
/// use estimator::app::{Session, VerifyOutcome, VerifyRequest, verify};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// estimator::app::serve_if_worker();
/// let request = VerifyRequest::new("params/current.toml", vec!["contracts".into()]);
/// if let VerifyOutcome::Measured(verified) = verify(&request, std::io::empty(), &Session::new())? {
///     println!("{} contracts could not be measured", verified.verification.unmeasured.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyRequest {
    /// The table: a file, the folder of a run, which is fitted, or `REV:FILE`.
    pub table: PathBuf,
    /// Files, folders and patterns, or `-` for a list.
    pub paths: Vec<PathBuf>,
    /// How long to measure; each process measures every contract three times at least, however long that takes.
    pub budget: SignedDuration,
    /// Seed of every shuffle and resample; `None` for a new one.
    pub seed: Option<u64>,
}

impl VerifyRequest {
    /// Of these contracts, measured for a minute.
    #[must_use]
    pub fn new(table: impl Into<PathBuf>, paths: Vec<PathBuf>) -> Self {
        Self { table: table.into(), paths, budget: SignedDuration::from_secs(60), seed: None }
    }
}

/// What came of a [`VerifyRequest`].
#[derive(Debug)]
pub enum VerifyOutcome {
    /// Real contracts held against their charges.
    Measured(Box<Verified>),
    /// It was stopped, and nothing is kept.
    Interrupted,
}

/// Real contracts held against their charges.
#[derive(Debug)]
pub struct Verified {
    /// What was found.
    pub verification: Verification,
    /// How many files and names were found in all.
    pub named: usize,
    /// How many of them are files that are no contracts.
    pub broken: usize,
    /// How many are names that lead to no file.
    pub missing: usize,
}

impl Verified {
    /// Whether a contract costs more than its charge, its whole interval above it.
    #[must_use]
    pub fn is_any_over(&self) -> bool {
        let points = self.verification.charged.iter().flat_map(|charged| &charged.points);
        points.into_iter().any(|point| point.verdict == ChargeVerdict::Over)
    }
}

/// Address layout is averaged over processes alone, as in a run.
const PROCESSES: u32 = 16;

/// For each minute as many again, so that a longer run is surer by the root of its length; for many contracts, of which each process
/// measures every one three times, no more than in a minute.
fn processes(budget: SignedDuration, contracts: usize) -> u32 {
    const FEW: u64 = 64;
    let minutes = u64::try_from(budget.as_mins()).unwrap_or_default();
    let times = minutes.min(FEW / contracts.max(1) as u64).clamp(1, FEW);
    u32::try_from(times).map_or(PROCESSES, |times| PROCESSES * times)
}

/// Measures real contracts as synthetic ones are measured, and holds them against their charges before the safety factor. `list`
/// is what the path `-` reads.
///
/// # Errors
/// The table is not there, its strategy cannot run here, no contract is named, or a worker process fails. A contract that cannot be measured is no
/// error.
pub fn verify(request: &VerifyRequest, list: impl BufRead, session: &Session<'_>) -> Result<VerifyOutcome, Error> {
    let table = &TableSource::from(&request.table).told(session)?;
    let experiment = EXPERIMENTS.into_iter().find(|experiment| table.prices(experiment)).unwrap_or(&MEMORY);
    match experiment {
        _ if *experiment == MEMORY => prices_memory(&request.table.display().to_string(), table)?,
        _ if reads_levels(experiment) => {}
        _ => {
            let file = request.table.display();
            let text = format!(
                "{file} is of the experiment `{experiment}`: real contracts are held against what memories, loads and deployments cost"
            );
            return Err(Error::Usage(text));
        }
    }
    let chain = &table.provenance.chain;
    let unknown = || {
        let file = request.table.display();
        Error::Incompatible(format!("{file}: this version has no strategy `{}`", chain.strategy))
    };
    let strategy = runtime::find(&chain.strategy).ok_or_else(unknown)?;
    if strategy.is_interpreter() {
        return Err(Error::Incompatible(format!(
            "{} is stated for `{}`: real contracts are run under Wasmtime alone",
            request.table.display(),
            strategy.name()
        )));
    }
    let reference = table.provenance.reference.as_ref();
    let thresholds = fitness(strategy, chain).map_err(|error| {
        error.context(format!("the table's strategy `{}` cannot run here{}", strategy.name(), limit()))
    })?;
    let folder = tempfile::tempdir().map_err(system("no folder for the work can be made"))?;
    let gathered = Gathered::read(&request.paths, list, (experiment, chain), folder.path(), session)?;
    let host = Host::here();
    tell_hazards(&host, session);
    let of_table = &table.provenance.run.machine;
    if host.fingerprint.class().as_ref() != Some(of_table) {
        session.note(&format!(
            "the table was measured on a machine of another kind ({of_table}): its charges are for that one"
        ));
    }
    let seed = request.seed.unwrap_or_else(new_seed);
    let plan = Plan {
        experiment,
        seed,
        processes: processes(request.budget, gathered.contracts.len()),
        budget: request.budget,
        evict: reference.map_or_else(|| evicting(&host.fingerprint), |of| evicting_as(of.evict, &host.fingerprint)),
        probe: PROBE,
        pages_max: chain.pages_max,
        keep_resident: chain.keep_resident,
        pool_slots: chain.pool_slots,
        blend_from: thresholds.blend_from,
        stream_from: thresholds.stream_from,
        track_from: thresholds.track_from,
        points: Vec::new(),
    };
    if let Some(why) = reference.and_then(|of| of.does_not_fit(&plan)) {
        let file = request.table.display();
        return Err(Error::Incompatible(format!("what is measured here cannot be held against {file}: {why}")));
    }
    let Gathered { contracts, mut unmeasured, named, broken, missing } = gathered;
    let job = Job::new(&plan, strategy.name(), contracts);
    let Some(Measured { batches, refused }) = measure_contracts(job, folder.path(), session)? else {
        return Ok(VerifyOutcome::Interrupted);
    };
    unmeasured.extend(refused);
    let charged = against(table, batches, experiment, chain, seed)?;
    let verification = Verification {
        processes: plan.processes,
        budget: request.budget,
        alternatives: alternatives(&request.table, experiment, chain)?,
        beyond: charged.as_ref().map_or_else(Vec::new, |charged| beyond(table, charged)),
        charged,
        experiment,
        unmeasured,
        safety_factor: chain.safety_factor,
        strategy: strategy.name(),
        seed,
        objections: table.objections(),
    };
    Ok(VerifyOutcome::Measured(Box::new(Verified { verification, named, broken, missing })))
}

/// What contracts declare beyond the largest levels that the table was measured with.
fn beyond(table: &ParamTable, charged: &Charged) -> Vec<(String, Vec<Beyond>)> {
    let points = charged.points.iter().map(|charged| &charged.fit.point);
    let of = points.map(|point| (point.contract.clone(), table.beyond(&point.levels)));
    of.filter(|(_, beyond)| !beyond.is_empty()).collect()
}

/// What was measured held against the table; `None` if nothing could be.
fn against(
    table: &ParamTable,
    batches: Vec<Samples>,
    experiment: &Experiment,
    chain: &ChainSettings,
    seed: u64,
) -> Result<Option<Charged>, Error> {
    if batches.is_empty() {
        return Ok(None);
    }
    let own = || {
        let batches: Vec<&Samples> = batches.iter().collect();
        Reference::of_runs(Reference::THIS_RUN.into(), &batches, &chain.strategy)
    };
    let reference = table.provenance.reference.as_ref().map(|of| of.reference.clone()).or_else(own);
    let reference = reference.ok_or_else(|| Error::Failed("the samples have no probes".into()))?;
    let with_charges = |samples: Samples| {
        let charges = charges_before_safety(table, experiment, &samples.points)?;
        Ok::<_, Error>((samples, charges))
    };
    let batches: Vec<_> = batches.into_iter().map(with_charges).collect::<Result<_, Error>>()?;
    Ok(Some(charged(&batches, &reference, &fit_settings(chain, experiment, seed))?))
}

/// What other terms would charge, where the table is that of a run whose fit is kept beside it.
fn alternatives(table: &Path, experiment: &Experiment, chain: &ChainSettings) -> Result<Vec<Alternative>, Error> {
    let file = table.join(FIT);
    if *experiment == MEMORY || !file.is_file() {
        return Ok(Vec::new());
    }
    let text = read_text(&file).map_err(system(format!("cannot read {}", file.display())))?;
    let fit: Fit = serde_json::from_str(&text)?;
    let model = fit.strategy(&chain.strategy).and_then(|own| own.model.clone());
    Ok(model.map_or_else(Vec::new, |model| model.alternatives))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_run_of_few_contracts_has_more_processes() {
        let of = |seconds: i64, contracts: usize| processes(SignedDuration::from_secs(seconds), contracts);
        assert_eq!((of(1, 1), of(60, 1), of(119, 1)), (16, 16, 16));
        assert_eq!((of(300, 1), of(300, 60), of(600, 16), of(86_400, 1)), (80, 16, 64, 1024));
        assert_eq!(of(300, 0), 80);
    }
}
