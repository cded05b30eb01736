//! The first try of each contract, in a worker process that may die of it.

use std::process::Command;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::Job;
use crate::measure::MeasureError;
use crate::measure::process::{Heard, Process, patience};

/// What a worker says of its tries, one JSON object a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialMessage {
    /// It begins with this contract. One that never returns, or takes the process with it, is known by this.
    Trying {
        /// Its number.
        number: usize,
    },
    /// It can be measured.
    Fine {
        /// Its number.
        number: usize,
    },
    /// It cannot be measured.
    Refused {
        /// Its number.
        number: usize,
        /// Why.
        reason: String,
    },
    /// The worker itself cannot go on.
    Failed {
        /// The error with its causes.
        error: String,
    },
}

/// What happens while contracts are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialEvent<'a> {
    /// A contract is done, whatever came of it.
    Done {
        /// Its number.
        number: usize,
    },
    /// One takes long.
    Slow {
        /// Its name.
        name: &'a str,
    },
}

/// Why a contract cannot be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its number in the job.
    pub number: usize,
    /// Why.
    pub reason: String,
}

/// Tries every contract once. One that hangs or kills its worker is refused for it, and a new worker goes on with the next.
/// `watch` hears of each contract as it is done, and of one that takes long. `None` if a person asked to stop.
///
/// # Errors
/// A worker cannot be started, or fails for reasons of its own.
pub fn try_contracts(
    job: &Job,
    worker: &dyn Fn(usize) -> Command,
    interrupted: &AtomicBool,
    watch: &dyn Fn(TrialEvent<'_>),
) -> Result<Option<Vec<Refusal>>, MeasureError> {
    // To compile, to start and to be touched: large ones compile in seconds.
    let times = 6;
    let mut refusals = Vec::new();
    let mut from = 0;
    while from < job.contracts.len() {
        let spawn = |source| MeasureError::Spawn { process: 0, source };
        let mut trial = Process::start(worker(from), patience()).map_err(spawn)?;
        let mut current = None;
        let mut refuse = |number, reason| refusals.push(Refusal { number, reason });
        let reason = loop {
            let line = match trial.hear(times, interrupted).map_err(spawn)? {
                Heard::Line(line) => line,
                Heard::Ended(status) => {
                    break (!status.success()).then(|| format!("the worker process dies of it ({status})"));
                }
                Heard::Interrupted => return Ok(None),
                Heard::Slow => {
                    if let Some(contract) = current.and_then(|number: usize| job.contracts.get(number)) {
                        watch(TrialEvent::Slow { name: &contract.name });
                    }
                    continue;
                }
                Heard::Silent => {
                    let seconds = (patience() * times).as_secs_f64();
                    break Some(format!("stopped after {seconds} s without an end"));
                }
            };
            let babble = |_| MeasureError::Protocol { process: 0, line: line.clone() };
            match serde_json::from_str(&line).map_err(babble)? {
                TrialMessage::Trying { number } => current = Some(number),
                TrialMessage::Fine { number } => watch(TrialEvent::Done { number }),
                TrialMessage::Refused { number, reason } => {
                    refuse(number, reason);
                    watch(TrialEvent::Done { number });
                }
                TrialMessage::Failed { error } => return Err(MeasureError::Worker { process: 0, message: error }),
            }
        };
        match (reason, current) {
            (None, _) => break,
            (Some(reason), Some(number)) => {
                refuse(number, reason);
                watch(TrialEvent::Done { number });
                from = number + 1;
            }
            (Some(reason), None) => return Err(MeasureError::Worker { process: 0, message: reason }),
        }
    }
    Ok(Some(refusals))
}
