//! The hidden command that `verify` starts its worker processes with.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::exit::Exit;
use crate::measure::real::{TrialMessage, try_in_worker, work_real};
use crate::measure::{GO, MeasureError, Message, settle};

/// Name of the hidden command.
pub const NAME: &str = "verify-worker";

/// Arguments of the hidden command.
#[derive(Debug, Args)]
pub struct VerifyWorker {
    /// Folder of the job
    job: PathBuf,
    /// Number of the process
    process: u32,
    /// Only try the contracts, from this number on
    #[arg(long)]
    try_from: Option<usize>,
}

/// Tries or measures, and tells the supervisor of errors as of all else.
pub fn execute(args: &VerifyWorker) -> anyhow::Result<Exit> {
    settle(Some(args.process)).context("this process cannot be made fit for measuring")?;
    let process = args.process;
    let done = if let Some(from) = args.try_from {
        let mut emit = |message: TrialMessage| say(process, &message);
        let result = try_in_worker(&args.job, from, &mut emit);
        result.or_else(|error| emit(TrialMessage::Failed { error: format!("{:#}", anyhow::Error::from(error)) }))
    } else {
        let mut emit = |message: Message| say(process, &message);
        let mut go_on = || {
            let mut line = String::new();
            let failed = |source| MeasureError::Spawn { process, source };
            io::stdin().lock().read_line(&mut line).map_err(failed)?;
            Ok(line.trim() == GO)
        };
        let result = work_real(&args.job, process, &mut go_on, &mut emit);
        result.or_else(|error| emit(Message::Failed { error: format!("{:#}", anyhow::Error::from(error)) }))
    };
    done?;
    Ok(Exit::Fine)
}

fn say(process: u32, message: &impl Serialize) -> Result<(), MeasureError> {
    let failed = |source: io::Error| MeasureError::Spawn { process, source };
    let line = serde_json::to_string(message).map_err(|e| failed(e.into()))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(failed)
}
