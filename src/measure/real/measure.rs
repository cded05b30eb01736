use std::process::Command;
use std::sync::atomic::AtomicBool;

use crate::measure::conduct::rounds_within_budget;
use crate::measure::supervise::{Progress, Worker};
use crate::measure::{MeasureError, Place, Plan, Samples};

/// What happens while contracts are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RealEvent<'a> {
    /// It is known how long measuring will take: so many rounds in all, each of so many nanoseconds.
    Planned {
        /// Rounds in all processes together.
        rounds: u32,
        /// Nanoseconds of one.
        round_ns: u64,
    },
    /// A round was measured, this one of so many.
    Round {
        /// Counted from 1.
        number: u32,
        /// In all processes together.
        of: u32,
    },
    /// One thing takes long.
    Slow {
        /// What it is, beginning with its contract.
        doing: &'a str,
    },
}

/// The surroundings of a measurement.
pub struct RealConductor<'a> {
    /// Makes the command that starts a worker process of this number.
    pub worker: &'a dyn Fn(u32) -> Command,
    /// Set when a person asks to stop.
    pub interrupted: &'a AtomicBool,
    /// Hears what happens.
    pub watch: &'a dyn Fn(RealEvent<'_>),
}

/// Measures the points of a plan in all its processes. `None` if a person asked to stop.
///
/// # Errors
/// A worker cannot be started, fails or falls silent.
pub fn measure_real(plan: &Plan, conductor: &RealConductor<'_>) -> Result<Option<Samples>, MeasureError> {
    let points = plan.points.iter().map(|planned| planned.point.clone()).collect();
    let mut samples = Samples::of(plan.experiment, points);
    let mut rounds = None;
    let mut done = 0;
    for process in 0..plan.processes {
        let mut worker = Worker::start(plan, process, (conductor.worker)(process))?;
        let mut own = 0;
        loop {
            match worker.next(conductor.interrupted)? {
                Progress::Loading(_) | Progress::Checked | Progress::Unfit(..) | Progress::Refused(..) => {}
                Progress::Slow => (conductor.watch)(RealEvent::Slow { doing: &worker.doing() }),
                Progress::Warm(round_ns) => {
                    if rounds.is_none() {
                        let own = rounds_within_budget(plan, round_ns);
                        rounds = Some(own);
                        let all = own.saturating_mul(plan.processes);
                        (conductor.watch)(RealEvent::Planned { rounds: all, round_ns });
                    }
                    worker.go_on(true)?;
                }
                Progress::Round(round, cycles) => {
                    for (order, cycle) in (0..).zip(cycles) {
                        samples.push(Place { process, round, order, point: cycle.point }, &cycle.values);
                    }
                    own += 1;
                    done += 1;
                    let planned = rounds.unwrap_or(own);
                    (conductor.watch)(RealEvent::Round { number: done, of: planned.saturating_mul(plan.processes) });
                    worker.go_on(own < planned)?;
                }
                Progress::Ended => break,
                Progress::Interrupted => return Ok(None),
            }
        }
    }
    Ok(Some(samples))
}
