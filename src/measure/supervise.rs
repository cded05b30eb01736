//! The supervisor of one worker process that measures: what it says, in the words of the plan.

use std::io;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::message::{Measured, Message, build};
use super::process::{Heard, Process, patience};
use super::{MeasureError, Plan};
use crate::experiment::Point;

/// What tells a worker to measure another round.
pub const GO: &str = "go";

/// One worker process at work.
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    number: u32,
    process: Process,
    patience: Duration,
    stage: Stage,
    /// Whether it has said which build it is.
    known: bool,
    /// Rounds that it has measured.
    rounds: u32,
    /// Whether it has said that its work is done.
    done: bool,
}

/// What a worker is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It reads the run.
    Starting,
    /// It compiles a contract or loads what was compiled.
    Loading,
    /// It runs a point for the first time.
    Checking,
    /// It measures a point without recording it.
    WarmingUp,
    /// It measures a point.
    Measuring,
}

impl Stage {
    /// For people, after the name of a point.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Starting => "at the start",
            Self::Loading => "while it was compiled and loaded",
            Self::Checking => "in its first call",
            Self::WarmingUp => "in the warm-up",
            Self::Measuring => "in a measured round",
        }
    }

    /// How many times the usual patience it gets: compiling a large contract takes long, and reading a run some time.
    const fn times(self) -> u32 {
        match self {
            Self::Starting | Self::Loading => 6,
            _ => 1,
        }
    }
}

/// What came from a worker, or that it ended or was told to.
pub(super) enum Progress {
    /// The contract of this point is about to be compiled or loaded.
    Loading(u32),
    /// A point is about to run for the first time.
    Checked,
    /// It is ready; a round takes this many nanoseconds.
    Warm(u64),
    /// A round was measured.
    Round(u32, Vec<Measured>),
    /// A strategy cannot be set up, for this reason.
    Unfit(String, String),
    /// The contract of this point cannot be measured, for this reason.
    Refused(u32, String),
    /// It takes long over one thing.
    Slow,
    /// It is done.
    Ended,
    /// A person asked to stop.
    Interrupted,
}

impl<'a> Worker<'a> {
    /// Starts a worker process of this number.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(super) fn start(plan: &'a Plan, number: u32, command: Command) -> Result<Self, MeasureError> {
        Self::patient(plan, number, command, patience())
    }

    fn patient(plan: &'a Plan, number: u32, command: Command, patience: Duration) -> Result<Self, MeasureError> {
        let process = Process::start(command, patience).map_err(|source| spawn(number, source))?;
        Ok(Self { plan, number, process, patience, stage: Stage::Starting, known: false, rounds: 0, done: false })
    }

    /// Tells a waiting worker to measure another round, or to end. One that is gone says by [`Worker::next`] how it ended.
    ///
    /// # Errors
    /// It cannot be reached, though it is there.
    pub(super) fn go_on(&mut self, another: bool) -> Result<(), MeasureError> {
        let number = self.number;
        self.process.say(if another { GO } else { "end" }).map_err(|source| spawn(number, source))
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// The worker reports one, dies, falls silent or babbles.
    pub(super) fn next(&mut self, interrupted: &AtomicBool) -> Result<Progress, MeasureError> {
        let line =
            match self.process.hear(self.stage.times(), interrupted).map_err(|source| spawn(self.number, source))? {
                Heard::Line(line) => line,
                Heard::Slow => return Ok(Progress::Slow),
                Heard::Interrupted => return Ok(Progress::Interrupted),
                Heard::Ended(status) if status.success() && self.done => return Ok(Progress::Ended),
                Heard::Ended(status) if !self.known => {
                    return Err(MeasureError::NoWorker { said: format!("nothing, and ended ({status})") });
                }
                Heard::Ended(status) => {
                    let (process, status, last) = (self.number, status.to_string(), self.doing());
                    return Err(MeasureError::WorkerDied { process, status, last });
                }
                Heard::Silent => {
                    let seconds = (self.patience * self.stage.times()).as_secs_f64();
                    return Err(MeasureError::Hang { last: self.doing(), seconds, way_out: way_out(self.stage) });
                }
            };
        let babble = || MeasureError::Protocol { process: self.number, line: line.clone() };
        let message = serde_json::from_str(&line);
        if !self.known {
            return match message {
                Ok(Message::Hello { build: its }) if its == build() => {
                    self.known = true;
                    self.next(interrupted)
                }
                Ok(Message::Hello { build: its }) => {
                    Err(MeasureError::OtherBuild { process: self.number, own: build(), its })
                }
                _ => Err(MeasureError::NoWorker { said: line }),
            };
        }
        Ok(match message.map_err(|_| babble())? {
            Message::Warming => {
                self.stage = Stage::WarmingUp;
                return self.next(interrupted);
            }
            Message::Loading { point } => self.enter(Stage::Loading, Progress::Loading(point)),
            Message::Checking { .. } => self.enter(Stage::Checking, Progress::Checked),
            Message::Warm { round_ns } => self.enter(Stage::Measuring, Progress::Warm(round_ns)),
            Message::Round { round, cycles } if self.is_planned(round, &cycles) => {
                self.rounds += 1;
                Progress::Round(round, cycles)
            }
            Message::Hello { .. } | Message::Round { .. } | Message::Probed { .. } => return Err(babble()),
            Message::Unfit { strategy, reason } => Progress::Unfit(strategy, reason),
            Message::Refused { point, reason } => Progress::Refused(point, reason),
            Message::Done => {
                self.done = true;
                return self.next(interrupted);
            }
            Message::Failed { error } => return Err(MeasureError::Worker { process: self.number, message: error }),
        })
    }

    /// Whether a round is the next one of the plan, so that nothing else is stored.
    fn is_planned(&self, round: u32, cycles: &[Measured]) -> bool {
        let values = self.plan.experiment.values();
        let points = cycles.iter().map(|cycle| cycle.point);
        round == self.rounds
            && points.eq(self.plan.order(self.number, round))
            && cycles.iter().all(|cycle| cycle.values.len() == values)
    }

    fn enter(&mut self, stage: Stage, progress: Progress) -> Progress {
        self.stage = stage;
        progress
    }

    /// The point that it is at, or was last.
    pub(super) fn point(&self) -> Option<&'a Point> {
        Some(&self.plan.points.get(self.process.at()? as usize)?.point)
    }

    /// What it is doing, and to which point.
    pub(super) fn doing(&self) -> String {
        let at = self.point().map_or_else(|| "no contract yet".into(), Point::label);
        format!("{at}, {}", self.stage.words())
    }
}

const fn way_out(stage: Stage) -> &'static str {
    match stage {
        Stage::Starting => "look whether the machine is overloaded or the disk is slow, and run again",
        Stage::Loading => "leave it out or make it smaller",
        _ => "it must return from its start function and its entry",
    }
}

fn spawn(process: u32, source: io::Error) -> MeasureError {
    MeasureError::Spawn { process, source }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::super::PlannedPoint;
    use super::*;
    use crate::experiment::MEMORY;
    use crate::units::{Bytes, Pages};

    fn plan() -> Plan {
        let point = |pages| Point::of_memory("touch", &format!("pages{pages}"), "fresh-map", Pages(pages));
        Plan {
            experiment: &MEMORY,
            seed: 1,
            processes: 1,
            budget: SignedDuration::from_secs(1),
            evict: Bytes(0),
            probe: super::super::PROBE,
            pages_max: Pages(2048),
            keep_resident: None,
            pool_slots: 1,
            blend_from: None,
            stream_from: None,
            track_from: None,
            points: [1, 2].map(|pages| PlannedPoint { point: point(pages), repeats: 1 }).into(),
        }
    }

    /// What ends a worker that says these lines, marks its second point, and then does this.
    fn end(lines: &[&str], then: &str) -> MeasureError {
        let plan = plan();
        let hello = serde_json::to_string(&Message::Hello { build: build() }).unwrap();
        let said = [&[&*hello], lines].concat().join("'; echo '");
        let mark = r"printf '\001\000\000\000\002\000\000\000' 1<>/proc/self/fd/$ESTIMATOR_MARKS";
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("echo '{said}'; {mark}; {then}"));
        let mut worker = Worker::patient(&plan, 0, command, Duration::from_millis(100)).unwrap();
        loop {
            match worker.next(&AtomicBool::new(false)) {
                Err(error) => return error,
                Ok(Progress::Ended) => panic!("it ended well"),
                Ok(_) => {}
            }
        }
    }

    /// A whole round, as a worker of this plan says it.
    fn round(round: u32) -> String {
        let order = plan().order(0, round);
        let values = vec![1; MEMORY.values()];
        let cycles = order.into_iter().map(|point| Measured { point, values: values.clone() }).collect();
        serde_json::to_string(&Message::Round { round, cycles }).unwrap()
    }

    const WARM: &str = r#"{"warm":{"round_ns":1}}"#;

    #[test]
    fn a_silence_is_named_after_its_contract_whatever_the_worker_was_doing() {
        for (lines, words) in [
            (&[r#"{"loading":{"point":1}}"#][..], "compiled"),
            (&[r#"{"checking":{"point":1}}"#], "first call"),
            (&[r#""warming""#], "warm-up"),
            (&[r#""warming""#, WARM], "measured round"),
            (&[r#""warming""#, WARM, &round(0)], "measured round"),
        ] {
            let said = end(lines, "exec sleep 600").to_string();
            assert!(said.starts_with("touch/pages2 touching 2 pages") && said.contains(words), "{said}");
        }
    }

    #[test]
    fn a_death_is_named_after_its_contract_too() {
        let said = end(&[r#""warming""#, WARM], "kill -9 $$").to_string();
        assert!(said.contains("touch/pages2") && said.contains("measured round"), "{said}");
    }
    #[test]
    fn a_worker_that_ends_before_its_work_is_done_has_died() {
        assert!(matches!(end(&[r#""warming""#, WARM], "exit 0"), MeasureError::WorkerDied { .. }));
    }

    #[test]
    fn rounds_that_are_not_those_of_the_plan_are_not_stored() {
        let other = round(0).replacen("\"point\":0", "\"point\":1", 1);
        let short = round(0).replacen("[1,1,", "[1,", 1);
        for line in [other, short, round(1), r#"{"round":{"round":0,"cycles":[]}}"#.into()] {
            assert!(matches!(end(&[r#""warming""#, WARM, &line], "sleep 9"), MeasureError::Protocol { .. }), "{line}");
        }
    }

    #[test]
    fn another_build_does_not_measure_for_this_one() {
        let plan = plan();
        for (line, expected) in [(r#"{"hello":{"build":"estimator 0.0.1"}}"#, "estimator 0.0.1"), (WARM, "round_ns")] {
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(format!("echo '{line}'; exec sleep 9"));
            let mut worker = Worker::patient(&plan, 0, command, Duration::from_secs(9)).unwrap();
            let error = worker.next(&AtomicBool::new(false)).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_program_that_does_not_serve_as_a_worker_is_told_how() {
        let plan = plan();
        for script in ["echo; echo running 3 tests", "exit 0", "echo '{}'"] {
            let mut command = Command::new("/bin/sh");
            command.arg("-c").arg(script);
            let mut worker = Worker::patient(&plan, 0, command, Duration::from_secs(9)).unwrap();
            let error = worker.next(&AtomicBool::new(false)).err().unwrap().to_string();
            assert!(error.contains("serve_if_worker"), "{error}");
        }
    }
}
