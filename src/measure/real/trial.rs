//! The first try of each contract, in a worker process that may die of it.

use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Job;
use crate::measure::MeasureError;

/// How long a contract may take to compile, to start and to be touched. Large ones compile in seconds.
const PATIENCE: Duration = Duration::from_mins(1);
const GLANCE: Duration = Duration::from_millis(50);

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

/// Why a contract cannot be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its number in the job.
    pub number: usize,
    /// Why.
    pub reason: String,
}

struct Trial {
    child: Child,
    lines: Receiver<io::Result<String>>,
}

impl Trial {
    fn start(mut command: Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0).spawn()?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let (send, lines) = channel();
        thread::spawn(move || BufReader::new(output).lines().try_for_each(|line| send.send(line)));
        Ok(Self { child, lines })
    }

    /// The next message; `Ok(None)` if the process has ended, `Err` if it takes too long.
    fn next(&self, interrupted: &AtomicBool) -> Result<Option<String>, Silence> {
        let since = Instant::now();
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Err(Silence::Interrupted);
            }
            match self.lines.recv_timeout(GLANCE) {
                Ok(Ok(line)) => return Ok(Some(line)),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if since.elapsed() > PATIENCE => return Err(Silence::Hangs),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

enum Silence {
    Hangs,
    Interrupted,
}

impl Drop for Trial {
    fn drop(&mut self) {
        // Both fail only where the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Tries every contract once. One that hangs or kills its worker is refused for it, and a new worker goes on with the next.
/// `watch` hears the number of each contract as it is done. `None` if a person asked to stop.
///
/// # Errors
/// A worker cannot be started, or fails for reasons of its own.
pub fn try_contracts(
    job: &Job,
    worker: &dyn Fn(usize) -> Command,
    interrupted: &AtomicBool,
    watch: &dyn Fn(usize),
) -> Result<Option<Vec<Refusal>>, MeasureError> {
    let mut refusals = Vec::new();
    let mut from = 0;
    while from < job.contracts.len() {
        let spawn = |source| MeasureError::Spawn { process: 0, source };
        let mut trial = Trial::start(worker(from)).map_err(spawn)?;
        let mut current = None;
        let mut refuse = |number, reason| refusals.push(Refusal { number, reason });
        let reason = loop {
            let line = match trial.next(interrupted) {
                Ok(Some(line)) => line,
                Ok(None) => {
                    let status = trial.child.wait().map_err(spawn)?;
                    break (!status.success()).then(|| format!("the worker process dies of it ({status})"));
                }
                Err(Silence::Interrupted) => return Ok(None),
                Err(Silence::Hangs) => {
                    break Some(format!("stopped after {} s without an end", PATIENCE.as_secs()));
                }
            };
            let babble = |_| MeasureError::Protocol { process: 0, line: line.clone() };
            match serde_json::from_str(&line).map_err(babble)? {
                TrialMessage::Trying { number } => current = Some(number),
                TrialMessage::Fine { number } => watch(number),
                TrialMessage::Refused { number, reason } => {
                    refuse(number, reason);
                    watch(number);
                }
                TrialMessage::Failed { error } => return Err(MeasureError::Worker { process: 0, message: error }),
            }
        };
        match (reason, current) {
            (None, _) => break,
            (Some(reason), Some(number)) => {
                refuse(number, reason);
                watch(number);
                from = number + 1;
            }
            (Some(reason), None) => return Err(MeasureError::Worker { process: 0, message: reason }),
        }
    }
    Ok(Some(refusals))
}
