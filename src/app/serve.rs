//! What a worker process does.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::exit;

use nix::sys::signal::{SigSet, Signal};
use serde::Serialize;

use super::chain::chain_of_run;
use super::check_reference::EACH;
use super::error::{Error, system};
use super::planned::artifacts_of;
use super::workers::Task;
use crate::measure::real::{try_in_worker, work_real};
use crate::measure::{
    Bench, Emit, GO, HostMachine, Marks, MeasureError, Message, RunFolder, build, loading, prepare, prepare_process,
    probe_for, rounds, wasmtime_runtime,
};
use crate::params::ReferenceMachine;
use crate::runtime::{InterpretedRuntime, Runtime, Strategy, find};
use crate::text::with_causes;

/// Does a worker's work and ends the process, if it was started as a worker; otherwise returns at once.
///
/// Each measurement is made in processes of its own, which are the running program again unless
/// [`Workers`](super::Workers) names another. So a program that measures calls this first of all in its `main`, before it reads
/// its arguments or prints anything.
///
/// ```no_run
/// estimator::app::serve_if_worker();
/// // From here on it is the program that people started.
/// ```
pub fn serve_if_worker() {
    // Blocked by whoever started the program, the kernel would end it at the first fault that the runtime is to handle. The set is
    // known and the call cannot fail; where it did, that fault would tell.
    let _ = SigSet::from(Signal::SIGSEGV).thread_unblock();
    let Some(task) = Task::of_process() else { return };
    // An error that its supervisor cannot hear has no other ears: the supervisor is gone.
    exit(match task.map(|task| serve(&task)) {
        Ok(Ok(())) => 0,
        Ok(Err(_)) => 1,
        Err(error) => {
            let _ = say(0, &Message::Failed { error: with_causes(&error) });
            2
        }
    })
}

/// Says which build it is, does its task, and tells the supervisor of its end or its error as of all else.
fn serve(task: &Task) -> Result<(), Error> {
    let process = task.process();
    let mut emit = |message: Message| say(process.unwrap_or(0), &message);
    emit(Message::Hello { build: build() })?;
    let result = match task {
        Task::Prepare { run, code } | Task::Measure { run, code, .. } => measure_run(run, code, process, &mut emit),
        Task::Try { job, from } => prepared(0).and_then(|()| Ok(try_in_worker(job, *from, &mut emit)?)),
        Task::Probe { reference, process } => prepared(*process).and_then(|()| {
            let reference = ReferenceMachine::load(reference)?;
            let sizes: Vec<_> = reference.probes.iter().map(|time| (time.touched_pages, time.data_bytes)).collect();
            let mut machine = HostMachine::new(reference.evict_bytes);
            let times = probe_for(&mut machine, &sizes, EACH)?;
            Ok(emit(Message::Probed { times })?)
        }),
        Task::MeasureReal { job, process } => {
            let mut go_on = || go_on(*process);
            prepared(*process).and_then(|()| Ok(work_real(job, *process, &mut go_on, &mut emit)?))
        }
    };
    emit(match &result {
        Ok(()) => Message::Done,
        Err(error) => Message::Failed { error: with_causes(error) },
    })?;
    result
}

/// `None` is the process that prepares.
fn measure_run(run: &Path, code: &Path, process: Option<u32>, emit: &mut Emit<'_>) -> Result<(), Error> {
    let folder = RunFolder::at(run);
    let run = folder.read()?;
    let turn = |process| run.shard.map_or(process, |shard| shard.turn(process));
    prepared(process.map(turn))?;
    let artifacts = artifacts_of(&folder, &run)?;
    let plan = run.plan;
    let mut machine = HostMachine::new(plan.evict);
    let runtime = |strategy: &str, threads| {
        if find(strategy).is_some_and(Strategy::is_interpreter) {
            return Ok(Box::new(InterpretedRuntime::new(plan.node())) as Box<dyn Runtime>);
        }
        let runtime = wasmtime_runtime(&plan, strategy, threads)?;
        // SAFETY: the supervisor made the folder, for itself and its workers alone.
        #[expect(unsafe_code, reason = "compiled code is taken on trust")]
        let runtime = unsafe { runtime.keeping_code_in(PathBuf::from(code)) };
        Ok(Box::new(runtime) as Box<dyn Runtime>)
    };
    let load = loading(plan.experiment, &artifacts, &runtime);
    let mut bench = Bench::new(&plan, &load, Marks::watched().map_err(MeasureError::Marks)?);
    let Some(process) = process else {
        let needed = chain_of_run(&folder)?.strategy;
        return Ok(prepare(&mut bench, &needed, &mut machine, emit)?);
    };
    bench.load(&|_| true, &mut machine, emit)?;
    Ok(rounds(&bench, process, &mut machine, &mut || go_on(process), emit)?)
}

fn prepared(turn: impl Into<Option<u32>>) -> Result<(), Error> {
    prepare_process(turn.into()).map_err(system("this process cannot be made fit for measuring"))
}

/// Whether the supervisor wants another round.
fn go_on(process: u32) -> Result<bool, MeasureError> {
    let mut line = String::new();
    let failed = |source| MeasureError::Spawn { process, source };
    io::stdin().lock().read_line(&mut line).map_err(failed)?;
    Ok(line.trim() == GO)
}

fn say(process: u32, message: &impl Serialize) -> Result<(), MeasureError> {
    let failed = |source: io::Error| MeasureError::Spawn { process, source };
    let line = serde_json::to_string(message).map_err(|e| failed(e.into()))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `env --block-signal=SEGV estimator run …` ended without a word.
    #[test]
    fn a_program_that_was_started_with_faults_blocked_takes_them() {
        let faults = SigSet::from(Signal::SIGSEGV);
        faults.thread_block().unwrap();
        serve_if_worker();
        assert!(!SigSet::thread_get_mask().unwrap().contains(Signal::SIGSEGV));
    }
}
