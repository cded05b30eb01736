//! The first try of each contract, in a worker process that may die of it.

use std::process::Command;
use std::sync::atomic::AtomicBool;

use super::Job;
use crate::measure::MeasureError;
use crate::measure::supervise::{Progress, Worker};

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
    let mut trials = Trials { job, watch, refusals: Vec::new(), current: None };
    let mut from = 0;
    while from < job.contracts.len() {
        let mut trial = Worker::start(&job.plan, 0, worker(from))?;
        let at_fault = loop {
            match trial.next(interrupted) {
                Ok(Progress::Loading(point)) => trials.begin(point as usize),
                Ok(Progress::Refused(point, reason)) => trials.refuse(point as usize, reason),
                Ok(Progress::Slow) => trials.slow(),
                Ok(Progress::Ended) => break None,
                Ok(Progress::Interrupted) => return Ok(None),
                Ok(_) => {}
                Err(error) => break Some((trials.blame(error)?, trials.current)),
            }
        };
        trials.end();
        match at_fault {
            Some((reason, Some(point))) => {
                trials.refuse(point, reason);
                from = point + 1;
            }
            _ => break,
        }
    }
    Ok(Some(trials.refusals))
}

struct Trials<'a> {
    job: &'a Job,
    watch: &'a dyn Fn(TrialEvent<'_>),
    refusals: Vec<Refusal>,
    /// The contract that is tried.
    current: Option<usize>,
}

impl Trials<'_> {
    fn begin(&mut self, point: usize) {
        self.end();
        self.current = Some(point);
    }

    fn end(&mut self) {
        if let Some(number) = self.current.take() {
            (self.watch)(TrialEvent::Done { number });
        }
    }

    fn refuse(&mut self, point: usize, reason: String) {
        let number = self.job.contracts.get(point).map_or(point, |contract| contract.number);
        self.refusals.push(Refusal { number, reason });
    }

    fn slow(&self) {
        if let Some(contract) = self.current.and_then(|point| self.job.contracts.get(point)) {
            (self.watch)(TrialEvent::Slow { name: &contract.name });
        }
    }

    /// What a contract did to its worker, if it is the contract's fault.
    fn blame(&self, error: MeasureError) -> Result<String, MeasureError> {
        match error {
            MeasureError::WorkerDied { status, .. } if self.current.is_some() => {
                Ok(format!("the worker process dies of it ({status})"))
            }
            MeasureError::Hang { seconds, .. } if self.current.is_some() => {
                Ok(format!("stopped after {seconds} s without an end"))
            }
            error => Err(error),
        }
    }
}
