//! Before a run measures: everything is compiled, checked and measured once, in a process of its own that may die of it.

use super::bench::engines;
use super::conductor::{Conductor, Event};
use super::supervise::{Progress, Worker};
use super::{MeasureError, RunFile, RunFolder};

/// Prepares what a run measures. Strategies that are not needed and cannot be set up are taken out of the plan of a run that has
/// measured nothing yet. `false` if a person asked to stop.
///
/// # Errors
/// A contract is at fault, the needed strategy cannot be set up, or another one of which the run already has samples.
pub(super) fn prepare(folder: &RunFolder, run: &mut RunFile, conductor: &Conductor<'_>) -> Result<bool, MeasureError> {
    // Each time one strategy fewer.
    loop {
        let (unfit, outcome) = attempt(run, conductor);
        let died = match outcome {
            Ok(whole) if unfit.is_empty() => return Ok(whole),
            Ok(false) => return Ok(false),
            Ok(true) => false,
            Err(error @ MeasureError::WorkerDied { .. }) if unfit.is_empty() => return Err(error),
            Err(MeasureError::WorkerDied { .. }) => true,
            Err(error) => return Err(error),
        };
        for (strategy, reason) in unfit {
            if run.rounds.is_some() {
                return Err(MeasureError::Unfit { strategy, reason });
            }
            (conductor.watch)(Event::LeftOut { strategy: &strategy, reason: &reason });
            run.plan.points.retain(|planned| planned.point.strategy != strategy);
            run.left_out.push(format!("left out: {strategy}: {reason}"));
        }
        folder.write_planned(run)?;
        if !died {
            return Ok(true);
        }
    }
}

/// The strategies that proved unfit, each with the reason, and how the process ended: `false` if a person asked to stop.
fn attempt(run: &RunFile, conductor: &Conductor<'_>) -> (Vec<(String, String)>, Result<bool, MeasureError>) {
    let mut unfit = Vec::new();
    let outcome = listen(run, conductor, &mut unfit);
    (unfit, outcome)
}

fn listen(run: &RunFile, conductor: &Conductor<'_>, unfit: &mut Vec<(String, String)>) -> Result<bool, MeasureError> {
    let plan = &run.plan;
    let mut worker = Worker::start(plan, 0, (conductor.preparer)())?;
    let (mut loaded, mut checked) = (0, 0);
    loop {
        match worker.next(conductor.interrupted) {
            Ok(Progress::Loading(_)) => {
                loaded += 1;
                (conductor.watch)(Event::Loading { number: loaded, of: engines(plan) });
            }
            Ok(Progress::Checked) => {
                checked += 1;
                (conductor.watch)(Event::Checked { number: checked, of: plan.points.len() });
            }
            Ok(Progress::Unfit(strategy, reason)) => unfit.push((strategy, reason)),
            Ok(Progress::Slow) => (conductor.watch)(Event::Slow { doing: &worker.doing() }),
            Ok(Progress::Warm(_) | Progress::Round(..) | Progress::Refused(..)) => {}
            Ok(Progress::Ended) => return Ok(true),
            Ok(Progress::Interrupted) => return Ok(false),
            Err(error @ MeasureError::WorkerDied { .. }) => {
                // The kernel may end a process rather than refuse it memory.
                if let Some(point) = worker.point().filter(|point| point.strategy != conductor.needed) {
                    unfit.push((point.strategy.clone(), error.to_string()));
                }
                return Err(error);
            }
            Err(error) => return Err(error),
        }
    }
}
