//! What the worker processes do.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Job, JobContract};
use crate::experiment::Point;
use crate::files::write_whole;
use crate::measure::cycles::{brings, tried};
use crate::measure::{Bench, Emit, HostMachine, Marks, MeasureError, Message, Plan, rounds};
use crate::runtime::{self, ForeignCode, LoadedContract, StubbedRuntime};
use crate::text::with_causes;
use crate::units::{Bytes, HOST_PAGE_SIZE};

fn runtime_of(job: &Job) -> Result<StubbedRuntime, MeasureError> {
    let strategy =
        runtime::find(&job.strategy).ok_or_else(|| MeasureError::UnknownStrategy { name: job.strategy.clone() })?;
    Ok(StubbedRuntime::new(strategy, job.plan.node()))
}

fn read(path: &Path) -> Result<Vec<u8>, MeasureError> {
    fs::read(path).map_err(|source| MeasureError::File { action: "read", path: path.into(), source })
}

/// Loads what was compiled of a contract, beside its module if that is to be deployed.
fn load(
    folder: &Path,
    runtime: &StubbedRuntime,
    contract: &JobContract,
    plan: &Plan,
) -> Result<Box<dyn LoadedContract>, MeasureError> {
    let memories = contract.exports();
    let code = read(&contract.code(folder))?;
    let module = brings(plan.experiment).then(|| read(&contract.module(folder))).transpose()?;
    let code = ForeignCode {
        label: &contract.name,
        code: &code,
        has_start: contract.has_start,
        memories: &memories,
        brought: module.as_deref(),
    };
    // SAFETY: the folder belongs to this verification alone, and holds what a worker of it compiled.
    #[expect(unsafe_code, reason = "compiled code is taken on trust")]
    Ok(unsafe { runtime.load(code) }?)
}

/// Tries the contracts of the job from this place on: compiles, instantiates, touches and drops each, and tells of those that cannot be measured.
///
/// # Errors
/// The folder is broken, or the supervisor is gone. A contract that cannot be measured is no error.
pub fn try_in_worker(folder: &Path, from: usize, emit: &mut Emit<'_>) -> Result<(), MeasureError> {
    let job = Job::read(folder)?;
    let runtime = runtime_of(&job)?;
    let marks = Marks::watched().map_err(MeasureError::Marks)?;
    for (point, contract) in (0u32..).zip(&job.contracts).skip(from) {
        emit(Message::Loading { point })?;
        marks.at(point);
        match attempt(folder, &runtime, contract, &job.plan) {
            Ok(()) => {}
            Err(error @ MeasureError::File { .. }) => return Err(error),
            Err(error) => {
                let reason = with_causes(&error);
                // Tables name the contract in a column of its own.
                let own = reason.strip_prefix(&format!("{}: ", contract.name)).map(str::to_owned);
                emit(Message::Refused { point, reason: own.unwrap_or(reason) })?;
            }
        }
    }
    Ok(())
}

fn attempt(folder: &Path, runtime: &StubbedRuntime, contract: &JobContract, plan: &Plan) -> Result<(), MeasureError> {
    let memories = contract.exports();
    let wasm = read(&contract.module(folder))?;
    let module = ForeignCode {
        label: &contract.name,
        code: &wasm,
        has_start: contract.has_start,
        memories: &memories,
        brought: None,
    };
    let code = runtime.compile(module)?;
    let path = contract.code(folder);
    write_whole(&path, &code).map_err(|source| MeasureError::File { action: "write", path, source })?;

    let loaded = load(folder, runtime, contract, plan)?;
    if let Some(check) = tried(plan.experiment) {
        return check(loaded.as_ref(), &Point::default());
    }
    let mut tenant = loaded.instantiate()?;
    let (declared, actual) = (contract.first_pages.bytes(), Bytes(tenant.memory().len() as u64));
    if actual != declared {
        return Err(MeasureError::MemorySize { point: contract.name.clone(), declared, actual });
    }
    tenant.write(contract.pages.bytes(), |data| data.fill(1))?;
    match tenant.memory().iter().step_by(HOST_PAGE_SIZE).position(|&byte| byte == 0) {
        None => Ok(()),
        Some(page) => {
            Err(MeasureError::PageUntouched { point: contract.name.clone(), address: (page * HOST_PAGE_SIZE) as u64 })
        }
    }
}

/// The life of a worker that measures: load, warm up, and measure a round whenever it is told to.
///
/// # Errors
/// The folder is broken, a contract fails that was fine when it was tried, or the supervisor is gone.
pub fn work_real(
    folder: &Path,
    process: u32,
    go_on: &mut dyn FnMut() -> Result<bool, MeasureError>,
    emit: &mut Emit<'_>,
) -> Result<(), MeasureError> {
    let job = Job::read(folder)?;
    let runtime = runtime_of(&job)?;
    let by_point: BTreeMap<_, _> = job.plan.points.iter().map(|planned| &planned.point).zip(&job.contracts).collect();
    let load_point = |point: &Point| {
        let contract = by_point.get(point).ok_or_else(|| MeasureError::NoArtifact { point: point.label() })?;
        load(folder, &runtime, contract, &job.plan)
    };
    let mut machine = HostMachine::new(job.plan.evict);
    let marks = Marks::watched().map_err(MeasureError::Marks)?;
    let mut bench = Bench::new(&job.plan, &load_point, marks).of_foreign();
    bench.load(&|_| true, &mut machine, emit)?;
    rounds(&bench, process, &mut machine, go_on, emit)
}
