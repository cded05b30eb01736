use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use clap::Args;
use jiff::SignedDuration;

use super::exit::{Exit, IncompatibleError, UsageError};
use super::measuring::{budget, fitness};
use super::out::{self, tell};
use super::price::{CURRENT, priced};
use super::progress::{Progress, limit};
use super::rows::{Failures, TableFormat, say_passed_by};
use super::tables::table;
use super::verify_worker;
use crate::contract::corpus::{CorpusError, Found, Walk, read_module};
use crate::contract::survey::Surveyed;
use crate::contract::{MemoryKind, ModuleFacts, expose};
use crate::experiment::MEMORY;
use crate::host::{Host, State};
use crate::measure::real::{Job, JobContract, RealConductor, RealEvent, TrialEvent, measure_real, try_contracts};
use crate::measure::{PROBE, Place, Plan, Samples, evicting};
use crate::model::{ChargeVerdict, FitSettings, charged};
use crate::params::{ChainSettings, charges_before_safety};
use crate::report::{Unmeasured, Verification, pages, render};
use crate::runtime;
use crate::units::Bytes;

/// Measures real contracts and holds them against their charge: which of them cost more than they pay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator verify --params params/current.toml contracts/
  estimator verify --params params/current.toml 'near/*.wasm' --budget 5m --format json

Each contract is instantiated with its imports stubbed to trap, every host page of its memory is touched from the host, and the
instance is dropped, in cold caches and in several processes, as `run` does with synthetic ones. Start functions run under a
limit. Exit code 3: a contract costs more than its charge before the safety factor, its whole interval above it.")]
pub struct Verify {
    /// Table of parameters
    #[arg(long, value_name = "FILE", default_value = CURRENT)]
    params: PathBuf,
    /// Files (also gzip), folders of .wasm and .wasm.gz files, patterns, or - for a list on standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How long to measure; each of 16 processes measures every contract three times at least, however long that takes: for
    /// hundreds of contracts some minutes
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget)]
    budget: SignedDuration,
    /// Seed of every shuffle and resample [default: a new one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: TableFormat,
}

/// Address layout is averaged over processes alone, as in `run`.
const PROCESSES: u32 = 16;

/// Contracts that one worker process holds at most: compiled code is several times the size of a module.
const BATCH: usize = 200;

pub fn execute(args: &Verify) -> anyhow::Result<Exit> {
    let params = table(&args.params)?;
    priced(&args.params, &params)?;
    let chain = params.provenance.chain.clone();
    let unknown = || {
        let file = args.params.display();
        IncompatibleError(format!("{file}: this version has no strategy `{}`", chain.strategy))
    };
    let strategy = runtime::find(&chain.strategy).ok_or_else(unknown)?;
    let thresholds = fitness(strategy, &chain)
        .with_context(|| format!("the table's strategy `{}` cannot run here{}", strategy.name(), limit()))?;

    let folder = tempfile::tempdir().context("no folder for the work can be made")?;
    let mut gathered = gather(args, &chain, folder.path())?;
    let host = Host::read(Path::new("/"));
    for hazard in host.hazards.iter().filter(|hazard| hazard.state == State::Yes && hazard.name != "aslr") {
        tell!("note: {}: {}", hazard.name, hazard.detail);
    }
    let of_table = &params.provenance.run.machine;
    if host.fingerprint.class().as_ref() != Some(of_table) {
        tell!("note: the table was measured on a machine of another kind ({of_table}): its charges are for that one");
    }
    let seed = args.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
    let plan = Plan {
        experiment: &MEMORY,
        seed,
        processes: PROCESSES,
        budget: args.budget,
        evict: evicting(&host.fingerprint),
        probe: PROBE,
        pages_max: chain.pages_max,
        blend_from: thresholds.blend_from(),
        stream_from: thresholds.stream_from(),
        points: Vec::new(),
    };
    let contracts = std::mem::take(&mut gathered.contracts);
    let job = Job { plan, points: Vec::new(), strategy: strategy.name().into(), contracts };
    let Some((contracts, samples)) = measure(job, folder.path(), &mut gathered.unmeasured)? else {
        tell!("interrupted; nothing was kept");
        return Ok(Exit::Failed);
    };
    let verification = if contracts.is_empty() {
        None
    } else {
        let settings = FitSettings { statistic: chain.statistic, seed, ..FitSettings::default() };
        Some(charged(&samples, &charges_before_safety(&params, &samples.points)?, &settings)?)
    };
    let over = verification.iter().flat_map(|charged| &charged.points).any(|p| p.verdict == ChargeVerdict::Over);
    let found = Verification {
        charged: verification,
        unmeasured: gathered.unmeasured,
        safety_factor: chain.safety_factor,
        strategy: strategy.name(),
        seed,
        objections: params.objections(),
        processes: PROCESSES,
    };
    print(args.format, &found)?;
    gathered.failures.say(gathered.named);
    Ok(match gathered.failures.exit() {
        _ if over => Exit::Changed,
        Exit::Fine if contracts.is_empty() => Exit::Failed,
        exit => exit,
    })
}

fn print(format: TableFormat, found: &Verification) -> anyhow::Result<()> {
    match format {
        TableFormat::Human => out::show(&render::terminal(&pages::verify::page(found))),
        TableFormat::Csv => out::data(&render::csv(pages::verify::rows(found))?),
        TableFormat::Json => out::json(&pages::verify::json(found)),
    }
}

/// The strategy of memories that a host makes by itself.
const FRESH_MAP: &str = "fresh-map";

/// What is to be measured, and what is not, each with the reason.
#[derive(Default)]
struct Gathered {
    contracts: Vec<JobContract>,
    unmeasured: Vec<Unmeasured>,
    failures: Failures,
    /// All that was named.
    named: usize,
}

/// Reads every contract and puts it into the folder with its memories exposed.
fn gather(args: &Verify, chain: &ChainSettings, folder: &Path) -> anyhow::Result<Gathered> {
    let mut gathered = Gathered::default();
    let mut walk = Walk::new(&args.paths, io::stdin().lock());
    for found in &mut walk {
        gathered.named += 1;
        let name = found.as_ref().map_or_else(CorpusError::place, |found| found.name.clone());
        match found.and_then(|found| exposed(&found)) {
            Ok((contract, wasm)) => {
                if let Some(reason) = unfit(&contract, chain) {
                    gathered.unmeasured.push(Unmeasured { name, reason });
                    continue;
                }
                let contract = job_contract(&contract, gathered.contracts.len());
                let path = contract.module(folder);
                fs::write(&path, wasm).with_context(|| format!("cannot write {}", path.display()))?;
                gathered.contracts.push(contract);
            }
            Err(error) => {
                gathered.failures.count(&error);
                gathered.unmeasured.push(Unmeasured { name, reason: error.reason() });
            }
        }
    }
    say_passed_by(&walk);
    if gathered.named == 0 {
        return Err(UsageError("no contract is left to measure: name files, folders or patterns".into()).into());
    }
    Ok(gathered)
}

fn exposed(found: &Found) -> Result<(Surveyed, Vec<u8>), CorpusError> {
    let wasm = read_module(&found.path)?;
    let facts = |source| CorpusError::Facts { path: found.path.clone(), source };
    let read = ModuleFacts::read_valid(&wasm).map_err(facts)?;
    let exposed = expose(&wasm, &read).map_err(facts)?;
    Ok((Surveyed::new(found.name.clone(), &wasm, read), exposed))
}

/// Why a contract is not measured, if its declaration alone tells.
fn unfit(contract: &Surveyed, chain: &ChainSettings) -> Option<String> {
    match contract.declared() {
        _ if contract.facts.memories == 0 => Some("it has no memory".into()),
        // Wasmtime gives memories that a host makes from outside of the pool and of every memory creator.
        _ if contract.facts.memory == MemoryKind::Imported && chain.strategy != FRESH_MAP => {
            Some(format!("its memory is imported, which Wasmtime gives under {FRESH_MAP} alone"))
        }
        Some(pages) if pages <= chain.initial_pages_max => None,
        _ => Some(format!(
            "it declares {} pages, and the chain of the table allows {}",
            contract.facts.declared_pages, chain.initial_pages_max.0
        )),
    }
}

fn job_contract(contract: &Surveyed, number: usize) -> JobContract {
    JobContract {
        number,
        name: contract.name.clone(),
        sha256: contract.sha256.clone(),
        pages: contract.declared().unwrap_or_default(),
        first_pages: contract.facts.initial_pages.unwrap_or_default(),
        memories: contract.facts.memories,
        has_start: contract.facts.start.is_some(),
        data_bytes: contract.facts.data_bytes,
        stack_bytes: contract.layout.map_or(Bytes(0), |layout| layout.stack),
    }
}

/// Tries all contracts, then measures those that can be; `None` if a person asked to stop.
fn measure(
    job: Job,
    folder: &Path,
    unmeasured: &mut Vec<Unmeasured>,
) -> anyhow::Result<Option<(Vec<JobContract>, Samples)>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("Ctrl-C cannot be caught")?;
    let program =
        env::current_exe().context("the program does not know where it is, so it cannot start its workers")?;
    let worker = |process: u32, rest: &[String]| {
        let mut command = Command::new(&program);
        command.arg(verify_worker::NAME).arg(folder).arg(process.to_string()).args(rest);
        command
    };

    job.write(folder)?;
    let progress = Progress::new();
    let first = |from: usize| worker(0, &["--try-from".into(), from.to_string()]);
    let tried = |event: TrialEvent<'_>| match event {
        TrialEvent::Done { number } => progress.advance("trying", number + 1, job.contracts.len(), "contracts"),
        TrialEvent::Slow { name } => progress.slow(name),
    };
    let Some(refusals) = try_contracts(&job, &first, &interrupted, &tried)? else { return Ok(None) };
    let (plan, strategy) = (job.plan.clone(), job.strategy.clone());
    let mut contracts = Vec::new();
    for contract in job.contracts {
        match refusals.iter().find(|refusal| refusal.number == contract.number) {
            Some(refusal) => {
                unmeasured.push(Unmeasured { name: contract.name, reason: refusal.reason.clone() });
            }
            None => contracts.push(contract),
        }
    }

    let mut samples = Samples::default();
    let batches = contracts.len().div_ceil(BATCH).max(1);
    for (number, batch) in (1..).zip(contracts.chunks(contracts.len().div_ceil(batches).max(1))) {
        let title = if batches > 1 { format!("measuring part {number} of {batches}") } else { "measuring".into() };
        let points = Job::points(batch, &strategy);
        #[expect(clippy::cast_precision_loss, reason = "a share of the contracts")]
        let share = batch.len() as f64 / contracts.len() as f64;
        let budget = plan.budget.mul_f64(share);
        let job = Job {
            plan: Plan { budget, points: points.clone(), ..plan.clone() },
            points,
            strategy: strategy.clone(),
            contracts: batch.to_vec(),
        };
        job.write(folder)?;
        let conductor = RealConductor {
            worker: &|process| worker(process, &[]),
            interrupted: &interrupted,
            watch: &|event| match event {
                RealEvent::Planned { rounds, round_ns } => {
                    let time = SignedDuration::from_nanos_i128(i128::from(rounds) * i128::from(round_ns));
                    let seconds = time.as_secs() + 1;
                    progress.say(&format!("{title}: {} contracts, some {seconds} s and loading", batch.len()));
                }
                RealEvent::Round { number, of } => progress.advance(&title, number as usize, of as usize, "rounds"),
                RealEvent::Slow { doing } => progress.slow(doing),
            },
        };
        let Some(measured) = measure_real(&job.plan, &conductor)? else { return Ok(None) };
        let Ok(offset) = u32::try_from(samples.points.len()) else { bail!("too many contracts for one verification") };
        samples.points.extend(measured.points.iter().cloned());
        // Each batch has processes of its own. They keep their numbers: a contract was measured in as many as one batch has, and
        // no more may count for its interval.
        samples.append(measured, |place| Place { point: place.point + offset, ..place });
    }
    Ok(Some((contracts, samples)))
}
