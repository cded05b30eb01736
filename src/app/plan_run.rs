use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::chain::chain_of_new_run;
use super::choose::choose;
use super::contracts::{gather, limits};
use super::error::{Error, system};
use super::event::Event;
use super::in_force::TableInForce;
use super::plan_request::PlanRequest;
use super::planned::{PlannedRun, artifact_hashes};
use super::reference::reference_of_new_run;
use super::session::Session;
use super::workload::NamedWorkload;
use crate::contract::{Compilation, contract_set_hash, write_artifacts};
use crate::experiment::bend_of;
use crate::files::{make_folder, write_whole};
use crate::host::{Fingerprint, Host, State};
use crate::measure::{
    Choice, Length, PROBE, Plan, PlannedPoint, RUN_FORMAT, RunFile, RunFolder, Shard, build, evicting, modules_of, now,
    points_of,
};
use crate::params::ChainSettings;
use crate::runtime::WASMTIME_VERSION;
use crate::units::Bytes;

/// Plans a run and makes its folder. `in_force` is the table that its proposal will be held against.
///
/// # Errors
/// The request makes no sense; a contract, the chain settings or the chain's own strategy is at fault; or a file cannot be written.
pub fn plan_run(
    request: &PlanRequest,
    in_force: Option<&TableInForce>,
    session: &Session<'_>,
) -> Result<PlannedRun, Error> {
    let (chain, chain_text) = chain_of_new_run(request.chain.as_deref())?;
    request.check()?;
    if let Some(pages) = uncharged_beyond(&chain) {
        session.note(&format!(
            "the pool keeps {pages} pages, and those beyond cost otherwise: charge for them by terms = [\"page\", \"page_beyond_{pages}\"]"
        ));
    }
    let workload = request.workload.as_deref().map(NamedWorkload::named).transpose()?;
    let (strategies, thresholds) = choose(&request.strategies, request.experiment, &chain, session)?;
    let compilation = match modules_of(request.experiment, limits(&chain)) {
        Some(made) => Compilation { artifacts: made?, ..Compilation::default() },
        None => gather(request.contracts.as_deref(), request.require_toolchain, &chain, session)?,
    };
    let host = Host::here();
    tell_hazards(&host, session);
    let (reference, reference_text) = reference_of_new_run(request.reference.as_deref())?;
    let profile = request.effective_profile()?;
    let mut points = points(request, &compilation, &strategies, &chain)?;
    let mut left_out: Vec<String> =
        compilation.left_out.iter().map(|of| format!("left out of {}: {}", of.contract, of.levels)).collect();
    if let Some(filter) = &request.filter {
        let all = points.len();
        filter.check(points.iter().map(|planned| &planned.point))?;
        points.retain(|planned| filter.takes(&planned.point));
        left_out.push(filter.note(points.len(), all));
    }
    if let Some(workload) = &workload {
        workload.check(points.iter().map(|planned| &planned.point))?;
    }
    check_link(&request.out)?;
    let seed = request.seed.unwrap_or_else(new_seed);
    let plan = Plan {
        experiment: request.experiment,
        seed,
        processes: profile.processes,
        budget: profile.budget,
        evict: evicting_as(reference.evict_bytes, &host.fingerprint),
        probe: PROBE,
        pages_max: chain.pages_max,
        keep_resident: chain.keep_resident,
        pool_slots: chain.pool_slots,
        blend_from: thresholds.blend_from,
        stream_from: thresholds.stream_from,
        track_from: thresholds.track_from,
        points,
    };
    let created = now();
    let stamp = created.strftime("%Y%m%dT%H%M%SZ").to_string();
    let (name, folder) = new_folder(&request.out, &stamp, seed, request.shard)?;
    let mut run = RunFile {
        format: RUN_FORMAT,
        run: name,
        created: created.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        command: request.command(&profile, seed),
        estimator: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
        wasmtime: WASMTIME_VERSION.to_owned(),
        rustc: compilation.compiler.clone(),
        contract_set: contract_set_hash(&compilation.artifacts),
        points: None,
        samples: None,
        node: request.node_name(),
        shard: request.shard,
        rounds: None,
        length: if request.may_go_on && request.shard.is_none() && request.experiment.proposes {
            Length::Extensible
        } else {
            Length::Fixed
        },
        stopped: None,
        skipped: compilation
            .skipped
            .iter()
            .map(|s| format!("{}: {}; to mend it: {}", s.contract, s.reason, s.mend))
            .collect(),
        left_out,
        plan,
        machine: host.fingerprint,
        hazards: host.hazards,
        artifacts: artifact_hashes(&compilation.artifacts),
    };
    write_artifacts(&folder.artifacts(), &compilation.artifacts)?;
    write_whole(&folder.chain(), chain_text.as_bytes())?;
    write_whole(&folder.reference(), reference_text.as_bytes())?;
    if let Some(in_force) = in_force {
        in_force.keep(&folder)?;
    }
    if let Some(workload) = &workload {
        workload.keep(&folder)?;
    }
    folder.write_planned(&mut run)?;
    Ok(PlannedRun { folder, run, fresh: true })
}

/// Pages that a pool keeps, where the chain charges as if it kept all.
fn uncharged_beyond(chain: &ChainSettings) -> Option<u32> {
    chain.kept_pages().filter(|_| chain.terms.iter().all(|term| bend_of(term).is_none()))
}

/// As many bytes as a reference evicts, so that the two are of one unit, if that is enough for the private caches here.
pub(super) fn evicting_as(reference: Bytes, machine: &Fingerprint) -> Bytes {
    reference.max(evicting(machine))
}

/// A seed that nobody chose. It is short, since people may have to type it.
pub(super) fn new_seed() -> u64 {
    u64::from(rand::random::<u32>())
}

/// Tells what makes the machine noisy.
pub(super) fn tell_hazards(host: &Host, session: &Session<'_>) {
    for hazard in host.hazards.iter().filter(|hazard| hazard.state == State::Yes) {
        session.tell(Event::Hazard(hazard));
    }
}

fn points(
    request: &PlanRequest,
    compilation: &Compilation,
    strategies: &[&str],
    chain: &ChainSettings,
) -> Result<Vec<PlannedPoint>, Error> {
    let artifacts = &compilation.artifacts;
    let choice = Choice {
        artifacts,
        strategies,
        chain_strategy: &chain.strategy,
        threads: request.threads,
        node: &chain.node,
        pages_max: chain.pages_max,
    };
    let points = points_of(request.experiment, &choice);
    if points.is_empty() {
        let name = request.experiment.name;
        let text = format!("the contracts hold nothing that the experiment `{name}` measures; the built-in ones do");
        return Err(Error::Failed(text));
    }
    Ok(points)
}

/// Makes sure that `latest` can lead to the newest run.
fn check_link(out: &Path) -> Result<(), Error> {
    let latest = out.join("latest");
    if latest.is_dir() && !latest.is_symlink() {
        let text = format!("{} is not a link: move it away, since it is to lead to the newest run", latest.display());
        return Err(Error::Usage(text));
    }
    Ok(())
}

/// Makes a folder that no other run has, even if both begin in the same second.
fn new_folder(out: &Path, created: &str, seed: u64, shard: Option<Shard>) -> Result<(String, RunFolder), Error> {
    make_folder(out).map_err(system(format!("cannot make the folder {}", out.display())))?;
    let shard = shard.map_or_else(String::new, |shard| format!("-shard{}", String::from(shard).replace('/', "of")));
    for attempt in 1.. {
        let again = if attempt == 1 { String::new() } else { format!("-{attempt}") };
        let name = format!("{created}-seed{seed}{shard}{again}");
        let path = out.join(&name);
        match fs::create_dir(&path) {
            Ok(()) => return Ok((name, RunFolder::at(path))),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(system(format!("cannot make the folder {}", path.display()))(error)),
        }
    }
    Err(Error::Failed(format!("{} holds too many runs of this second", out.display())))
}
