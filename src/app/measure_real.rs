//! The measuring part of a verification: every contract is tried, and those that can be are measured.

use std::path::Path;

use jiff::SignedDuration;

use super::error::Error;
use super::event::{Event, Stage};
use super::session::Session;
use super::workers::Task;
use crate::measure::real::{Job, JobContract, RealConductor, RealEvent, TrialEvent, measure_real, try_contracts};
use crate::measure::{Plan, Samples};
use crate::report::Unmeasured;

/// Contracts that one worker process holds at most: compiled code is several times the size of a module.
const BATCH: usize = 200;

/// What came of the contracts.
pub(super) struct Measured {
    /// The samples of those that can be measured, batch by batch: each batch has processes of its own, at another time.
    pub batches: Vec<Samples>,
    /// Those that cannot be.
    pub refused: Vec<Unmeasured>,
}

/// Tries all contracts, then measures those that can be; `None` if a person asked to stop.
pub(super) fn measure_contracts(job: Job, folder: &Path, session: &Session<'_>) -> Result<Option<Measured>, Error> {
    session.tell(Event::Stoppable);
    let start = session.workers.starter()?;
    job.write(folder)?;
    let tried = |event: TrialEvent<'_>| {
        session.tell(match event {
            TrialEvent::Done { number } => {
                Event::Progress { stage: Stage::Trying, done: number + 1, of: job.contracts.len() }
            }
            TrialEvent::Slow { name } => Event::Slow { doing: name },
        });
    };
    let first = |from: usize| start(&Task::Try { job: folder.into(), from });
    let Some(refusals) = try_contracts(&job, &first, session.interrupted, &tried)? else { return Ok(None) };
    let mut refused = Vec::new();
    let mut contracts = Vec::new();
    for contract in job.contracts {
        match refusals.iter().find(|refusal| refusal.number == contract.number) {
            Some(refusal) => refused.push(Unmeasured { name: contract.name, reason: refusal.reason.clone() }),
            None => contracts.push(contract.compiled(job.plan.experiment, folder)),
        }
    }

    let mut measured = Vec::new();
    let batches = contracts.len().div_ceil(BATCH).max(1);
    for (number, batch) in (1..).zip(contracts.chunks(contracts.len().div_ceil(batches).max(1))) {
        #[expect(clippy::cast_precision_loss, reason = "a share of the contracts")]
        let share = batch.len() as f64 / contracts.len() as f64;
        let plan = Plan { budget: job.plan.budget.mul_f64(share), ..job.plan.clone() };
        let part = Job::new(&plan, &job.strategy, batch.to_vec());
        let stage = Stage::Measuring { part: number, of: batches };
        let Some(samples) = measure_part(&part, folder, stage, session)? else { return Ok(None) };
        measured.push(samples);
    }
    Ok(Some(Measured { batches: measured, refused }))
}

fn measure_part(job: &Job, folder: &Path, stage: Stage, session: &Session<'_>) -> Result<Option<Samples>, Error> {
    let start = session.workers.starter()?;
    job.write(folder)?;
    let contracts: &[JobContract] = &job.contracts;
    let conductor = RealConductor {
        worker: &|process| start(&Task::MeasureReal { job: folder.into(), process }),
        interrupted: session.interrupted,
        watch: &|event| {
            session.tell(match event {
                RealEvent::Planned { rounds, round_ns } => {
                    let time = SignedDuration::from_nanos_i128(i128::from(rounds) * i128::from(round_ns));
                    Event::Expected { stage, contracts: contracts.len(), time }
                }
                RealEvent::Round { number, of } => Event::Progress { stage, done: number as usize, of: of as usize },
                RealEvent::Slow { doing } => Event::Slow { doing },
            });
        },
    };
    Ok(measure_real(&job.plan, &conductor)?)
}
