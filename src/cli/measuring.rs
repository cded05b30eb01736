//! What `run` and `noise` measure with: the arguments, the plan, and the run itself.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use jiff::SignedDuration;

use super::chain::Chain;
use super::contracts::{self, Contracts};
use super::exit::UsageError;
use super::in_force::TableInForce;
use super::out::tell;
use super::progress::{Progress, left_out, limit};
use super::worker;
use crate::contract::{Artifact, contract_set_hash, write_artifacts};
use crate::experiment::{EXPERIMENTS, Experiment, MEMORY};
use crate::files::{make_folder, write_whole};
use crate::host::{CpuTimes, Host, State};
use crate::measure::{
    ArtifactHash, Conductor, MeasureError, PROBE, Plan, Profile, RUN_FORMAT, RunFile, RunFolder, Shard, Stop, conduct,
    evicting, grid, ladder, now, thresholds,
};
use crate::model::precise_enough;
use crate::params::ChainSettings;
use crate::runtime::isolation::{self, IsolationError};
use crate::runtime::recycle::Thresholds;
use crate::runtime::{self, MemoryLimit, NodeSettings, STRATEGIES, Strategy, WASMTIME_VERSION};

/// What is measured, for how long, and where it is kept.
#[derive(Debug, Args)]
pub struct Measuring {
    #[command(flatten)]
    contracts: Contracts,
    #[command(flatten)]
    chain: Chain,
    /// Folder in which the folder of this run is made
    #[arg(long, value_name = "DIR", default_value = "reports")]
    out: PathBuf,
    /// What to find out: the fee of a memory, or which reset strategy is cheapest where
    #[arg(long, value_name = "NAME", default_value = MEMORY.name, value_parser = experiment)]
    experiment: &'static Experiment,
    /// How long to measure: quick 20 s, standard 2 min, nightly 10 min
    #[arg(long, value_enum, default_value = "standard")]
    profile: ProfileName,
    /// Another time for measuring, such as 45s or 5m; every process measures two rounds at least, however long they take
    #[arg(long, value_name = "TIME", value_parser = budget, conflicts_with = "profile")]
    budget: Option<SignedDuration>,
    /// Reset strategies to measure; the chain's own is always among them [default: fresh-map, pool-decommit,
    /// pool-keep-resident and recycle-adaptive]
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = strategy)]
    strategy: Vec<&'static str>,
    /// In the strategies experiment: also measure N threads at the same cycle at once, and one beside a thread that spins
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: u32,
    /// Seed of every shuffle and resample [default: a new one, printed and recorded]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Measure only the I-th of N shares of the processes; `fit` merges the shares, which must have one seed
    #[arg(long, value_name = "I/N", requires = "seed")]
    shard: Option<Shard>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ProfileName {
    Quick,
    Standard,
    Nightly,
}

impl ProfileName {
    const fn profile(self) -> Profile {
        match self {
            Self::Quick => Profile::QUICK,
            Self::Standard => Profile::STANDARD,
            Self::Nightly => Profile::NIGHTLY,
        }
    }
}

/// A time for measuring.
pub fn budget(text: &str) -> Result<SignedDuration, String> {
    let budget: SignedDuration = text.parse().map_err(|_| "write a time such as 45s or 5m".to_owned())?;
    if Plan::BUDGETS.contains(&budget) { Ok(budget) } else { Err("write a time from 1s to 24h".to_owned()) }
}

fn experiment(text: &str) -> Result<&'static Experiment, String> {
    let names = || EXPERIMENTS.map(|experiment| experiment.name).join(", ");
    crate::experiment::find(text).ok_or_else(|| format!("the experiments are {}", names()))
}

fn strategy(text: &str) -> Result<&'static str, String> {
    let strategy = runtime::find(text)
        .ok_or_else(|| format!("the strategies are {}", STRATEGIES.map(Strategy::name).join(", ")))?;
    strategy.available().map_err(|lack| lack.to_string())?;
    Ok(strategy.name())
}

/// Plans a run and makes its folder, with all that a worker or a later `fit` needs.
pub fn prepare(args: &Measuring, in_force: Option<&TableInForce>) -> anyhow::Result<(RunFolder, RunFile)> {
    let (chain, chain_text) = args.chain.load()?;
    if args.threads > 1 && *args.experiment == MEMORY {
        let text = "--threads is a factor of the strategies experiment: add --experiment strategies";
        return Err(UsageError(text.into()).into());
    }
    let (strategies, thresholds) = strategies(args, &chain)?;
    let compilation = contracts::gather(&args.contracts, &chain)?;
    let host = Host::read(Path::new("/"));
    for hazard in host.hazards.iter().filter(|hazard| hazard.state == State::Yes && hazard.name != AVERAGED_OUT) {
        tell!("note: {}: {}", hazard.name, hazard.detail);
    }
    let mut profile = args.budget.map_or_else(|| args.profile.profile(), Profile::within);
    if !args.experiment.proposes {
        // A round of the ladder takes seconds, and every process begins with two that are not recorded.
        profile.processes /= 2;
    }
    if let Some(shard) = args.shard.filter(|shard| shard.count() > profile.processes) {
        let text = format!(
            "shard {} of {} processes would be empty: take fewer shards",
            String::from(shard),
            profile.processes
        );
        return Err(UsageError(text).into());
    }
    let latest = args.out.join("latest");
    if latest.is_dir() && !latest.is_symlink() {
        let text = format!("{} is not a link: move it away, since it is to lead to the newest run", latest.display());
        return Err(UsageError(text).into());
    }
    let seed = args.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
    let created = now();
    let experiment = args.experiment;
    let points = if experiment.proposes {
        grid(&compilation.artifacts, &strategies, &chain.strategy)
    } else {
        ladder(&compilation.artifacts, &strategies, args.threads)
    };
    let plan = Plan {
        experiment,
        seed,
        processes: profile.processes,
        budget: profile.budget,
        evict: evicting(&host.fingerprint),
        probe: PROBE,
        pages_max: chain.pages_max,
        blend_from: thresholds.blend_from(),
        stream_from: thresholds.stream_from(),
        points,
    };
    ensure!(!plan.points.is_empty(), "the contracts hold no `touch-memory`, which the strategies are compared on");
    let (name, folder) = new_folder(&args.out, &created.strftime("%Y%m%dT%H%M%SZ").to_string(), seed, args.shard)?;
    let mut run = RunFile {
        format: RUN_FORMAT,
        run: name,
        created: created.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        command: command_line(args, &profile, seed),
        estimator: env!("CARGO_PKG_VERSION").to_owned(),
        wasmtime: WASMTIME_VERSION.to_owned(),
        rustc: compilation.compiler.clone(),
        contract_set: contract_set_hash(&compilation.artifacts),
        points: None,
        samples: None,
        shard: args.shard,
        rounds: None,
        stopped: None,
        skipped: compilation
            .skipped
            .iter()
            .map(|s| format!("{}: {}; to mend it: {}", s.contract, s.reason, s.mend))
            .collect(),
        left_out: compilation.left_out.iter().map(|of| format!("left out of {}: {}", of.contract, of.levels)).collect(),
        plan,
        machine: host.fingerprint,
        hazards: host.hazards,
        artifacts: artifact_hashes(&compilation.artifacts),
    };
    write_artifacts(&folder.artifacts(), &compilation)?;
    write_whole(&folder.chain(), chain_text.as_bytes())?;
    if let Some(in_force) = in_force {
        in_force.keep(&folder)?;
    }
    folder.write_planned(&mut run)?;
    Ok((folder, run))
}

/// Makes a folder that no other run has, even if both begin in the same second.
fn new_folder(out: &Path, created: &str, seed: u64, shard: Option<Shard>) -> anyhow::Result<(String, RunFolder)> {
    make_folder(out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    let shard = shard.map_or_else(String::new, |shard| format!("-shard{}", String::from(shard).replace('/', "of")));
    for attempt in 1.. {
        let again = if attempt == 1 { String::new() } else { format!("-{attempt}") };
        let name = format!("{created}-seed{seed}{shard}{again}");
        let path = out.join(&name);
        match fs::create_dir(&path) {
            Ok(()) => return Ok((name, RunFolder::at(path))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot make the folder {}", path.display())),
        }
    }
    bail!("{} holds too many runs of this second", out.display())
}

/// The hazard that several worker processes average out, so that nobody need hear of it at each run.
const AVERAGED_OUT: &str = "aslr";

/// What is measured beside the chain's own strategy unless asked otherwise: each of the others takes time from the fee.
const USUAL: [&str; 4] = ["fresh-map", "pool-decommit", "pool-keep-resident", "recycle-adaptive"];

/// The chain's own first, then the others, as far as this machine can run them and they let no tenant see another; with the
/// thresholds that they use.
fn strategies(args: &Measuring, chain: &ChainSettings) -> anyhow::Result<(Vec<&'static str>, Thresholds)> {
    let is_own = |strategy: &&dyn Strategy| strategy.name() == chain.strategy;
    let asked = |strategy: &&dyn Strategy| match &args.strategy[..] {
        [] if !args.experiment.proposes => true,
        [] => USUAL.contains(&strategy.name()),
        asked => asked.contains(&strategy.name()),
    };
    let own = STRATEGIES.into_iter().filter(is_own);
    let others = STRATEGIES.into_iter().filter(|strategy| !is_own(strategy)).filter(asked);
    let mut chosen = Vec::new();
    let mut measured = Thresholds::from_sizes(None, None);
    for strategy in own.chain(others) {
        let name = strategy.name();
        match fitness(strategy, chain) {
            Ok(thresholds) => {
                chosen.push(name);
                if strategy.uses_thresholds() {
                    measured = thresholds;
                }
            }
            Err(error) if error.downcast_ref().is_some_and(|error| matches!(error, IsolationError::Leak { .. })) => {
                return Err(error);
            }
            Err(error) if is_own(&strategy) => {
                return Err(error.context(format!("the chain's strategy `{name}` cannot run here{}", limit())));
            }
            Err(error) => tell!("{}", left_out(name, &format!("{error:#}"))),
        }
    }
    Ok((chosen, measured))
}

/// Makes sure that this machine can run a strategy and that it isolates, with the thresholds that it would use here.
pub fn fitness(strategy: &dyn Strategy, chain: &ChainSettings) -> anyhow::Result<Thresholds> {
    strategy.available()?;
    let thresholds = thresholds(strategy)?;
    let node = NodeSettings { thresholds, ..NodeSettings::new(MemoryLimit(chain.pages_max)) };
    isolation::check(strategy, node)?;
    Ok(thresholds)
}

/// The artifacts by name and hash.
pub fn artifact_hashes(artifacts: &[Artifact]) -> Vec<ArtifactHash> {
    let hash = |artifact: &Artifact| ArtifactHash {
        contract: artifact.contract.clone(),
        variant: artifact.variant.clone(),
        sha256: artifact.sha256.clone(),
    };
    artifacts.iter().map(hash).collect()
}

/// The command that repeats the run with the same shuffles.
fn command_line(args: &Measuring, profile: &Profile, seed: u64) -> String {
    let mut words = vec!["estimator run".to_owned()];
    if let Some(folder) = &args.contracts.contracts {
        words.push(format!("--contracts {}", quoted(folder)));
    }
    if let Some(file) = &args.chain.chain {
        words.push(format!("--chain {}", quoted(file)));
    }
    if !args.experiment.proposes {
        words.push(format!("--experiment {}", args.experiment));
    }
    if args.threads > 1 {
        words.push(format!("--threads {}", args.threads));
    }
    if !args.strategy.is_empty() {
        words.push(format!("--strategy {}", args.strategy.join(",")));
    }
    if let Some(shard) = args.shard {
        words.push(format!("--shard {}", String::from(shard)));
    }
    words.push(format!("--budget {:#} --seed {seed}", profile.budget));
    words.join(" ")
}

/// A path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%,=".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// Makes `latest` lead to the run. Replacing a link by renaming another over it leaves no moment without one.
fn point_latest_at(run: &Path) -> anyhow::Result<()> {
    let (Some(out), Some(name)) = (run.parent(), run.file_name()) else { return Ok(()) };
    let latest = out.join("latest");
    ensure!(
        latest.symlink_metadata().is_err() || latest.is_symlink(),
        "{} is not a link: move it away, since it is to lead to the newest run",
        latest.display()
    );
    let draft = out.join(format!(".latest-{}", std::process::id()));
    std::os::unix::fs::symlink(name, &draft)
        .and_then(|()| fs::rename(&draft, &latest))
        .with_context(|| format!("cannot make the link {}", latest.display()))
}

/// What Ctrl-C sets. A process can be told once only what to do then, however many runs it measures.
fn interruption() -> anyhow::Result<Arc<AtomicBool>> {
    static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(flag) = INTERRUPTED.get() {
        return Ok(Arc::clone(flag));
    }
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    ctrlc::set_handler(move || set.store(true, Ordering::Relaxed)).context("Ctrl-C cannot be caught")?;
    Ok(Arc::clone(INTERRUPTED.get_or_init(|| flag)))
}

/// Measures what is missing of a run, and notes in its folder why it ended. `fresh` says that the folder was made just now.
pub fn measure(folder: &RunFolder, run: &mut RunFile, fresh: bool) -> anyhow::Result<Stop> {
    let interrupted = interruption()?;
    let chain = super::chain::of_run(folder)?;
    let program =
        env::current_exe().context("the program does not know where it is, so it cannot start its workers")?;
    let code = tempfile::tempdir().context("no folder for compiled code can be made")?;
    let progress = Progress::new();
    let settings = super::analysis::fit_settings(&chain, run.plan.seed);
    let path = folder.path();
    let start = |process: u32| {
        let mut command = Command::new(&program);
        command.arg(worker::NAME).arg(path).arg(process.to_string()).arg("--code").arg(code.path());
        command
    };
    let conductor = Conductor {
        worker: &start,
        preparer: &|| {
            let mut command = start(0);
            command.arg("--prepare");
            command
        },
        needed: &chain.strategy,
        interrupted: &interrupted,
        watch: &|event| progress.show(event),
        precise_enough: &|samples| precise_enough(samples, &settings, &chain.strategy),
    };
    let root = Path::new("/");
    let before = CpuTimes::read(root);
    let result = conduct(folder, run, &conductor);
    let stored = run.rounds.is_some();
    if stored {
        if let Err(error) = point_latest_at(path) {
            tell!("warning: {error:#}");
        }
    } else if fresh && !matches!(result, Ok(_) | Err(MeasureError::Busy { .. })) {
        // Nothing was measured, so there is nothing to keep, and the error tells all. Only who made the folder may remove it.
        let _ = fs::remove_dir_all(path);
    }
    let stop = match result {
        Err(error) if stored => {
            let way_on =
                format!("the run stopped; what it measured is kept. To go on: estimator run --resume {}", quoted(path));
            return Err(error).context(way_on);
        }
        other => other?,
    };
    run.hazards.retain(|hazard| hazard.name != CpuTimes::HAZARD);
    let steal = CpuTimes::steal(before, CpuTimes::read(root));
    if steal.state == State::Yes {
        tell!("note: {}: {}", steal.name, steal.detail);
    }
    run.hazards.push(steal);
    folder.end(run, stop)?;
    Ok(stop)
}
