//! The hidden command that `run` starts its worker processes with.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::exit::Exit;
use crate::contract::{Limits, read_artifacts};
use crate::measure::{
    Bench, Emit, GO, HostMachine, Marks, MeasureError, Message, RunFolder, loading, prepare, settle, wasmtime_runtime,
    work,
};
use crate::runtime::Runtime;

/// Name of the hidden command.
pub const NAME: &str = "worker";

/// Arguments of the hidden command.
#[derive(Debug, Args)]
pub struct Worker {
    /// Run folder
    run: PathBuf,
    /// Number of the process
    process: u32,
    /// Folder of its supervisor alone, for compiled code
    #[arg(long)]
    code: PathBuf,
    /// Only compile, check and measure everything once, without recording it
    #[arg(long)]
    prepare: bool,
}

/// Measures as the supervisor says, and tells it errors as it tells it samples.
pub fn execute(args: &Worker) -> anyhow::Result<Exit> {
    let mut emit = |message: Message| {
        let failed = |source: io::Error| MeasureError::Spawn { process: args.process, source };
        let line = serde_json::to_string(&message).map_err(|e| failed(e.into()))?;
        let mut out = io::stdout().lock();
        writeln!(out, "{line}").and_then(|()| out.flush()).map_err(failed)
    };
    if let Err(error) = measure(args, &mut emit) {
        emit(Message::Failed { error: format!("{error:#}") })?;
        return Ok(Exit::Failed);
    }
    Ok(Exit::Fine)
}

fn measure(args: &Worker, emit: &mut Emit<'_>) -> anyhow::Result<()> {
    let folder = RunFolder::at(&args.run);
    let run = folder.read()?;
    let turn = run.shard.map_or(args.process, |shard| shard.turn(args.process));
    settle((!args.prepare).then_some(turn)).context("this process cannot be made fit for measuring")?;
    let plan = run.plan;
    let limits = Limits { initial_pages_max: plan.pages_max, pages_max: plan.pages_max };
    let artifacts = read_artifacts(&folder.artifacts(), limits)?;
    let mut machine = HostMachine::new(plan.evict);
    let runtime = |strategy: &str, threads| {
        let runtime = wasmtime_runtime(&plan, strategy, threads)?;
        // SAFETY: the supervisor made the folder, for itself and its workers alone.
        #[expect(unsafe_code, reason = "compiled code is taken on trust")]
        let runtime = unsafe { runtime.keeping_code_in(args.code.clone()) };
        Ok(Box::new(runtime) as Box<dyn Runtime>)
    };
    let load = loading(&artifacts, &runtime);
    let mut bench = Bench::new(&plan, Marks::watched().map_err(MeasureError::Marks)?);
    if args.prepare {
        let needed = super::chain::of_run(&folder)?.strategy;
        prepare(&mut bench, &needed, &load, &mut machine, emit)?;
        return Ok(());
    }
    bench.load(&|_| true, &load, &mut machine, emit)?;
    let mut go_on = || {
        let mut line = String::new();
        let failed = |source| MeasureError::Spawn { process: args.process, source };
        io::stdin().lock().read_line(&mut line).map_err(failed)?;
        Ok(line.trim() == GO)
    };
    work(&bench, args.process, &mut machine, &mut go_on, emit)?;
    Ok(())
}
