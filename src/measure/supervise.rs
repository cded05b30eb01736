//! The supervisor: starts one worker process after the other and stores what they measure.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::worker::{Measured, Message};
use super::{MeasureError, Plan};

/// What the supervisor waits for, at most, where a contract should answer at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// What tells a worker to measure another round.
pub const GO: &str = "go";

/// How often it looks whether a person wants it to end.
const GLANCE: Duration = Duration::from_millis(50);

/// One worker process at work.
pub struct Worker<'a> {
    plan: &'a Plan,
    process: u32,
    child: Child,
    orders: ChildStdin,
    lines: Receiver<io::Result<String>>,
    doing: String,
    patience: Duration,
}

/// What came from a worker, or that it ended or was told to.
pub enum Progress {
    /// A point is about to run for the first time.
    Checked,
    /// It is ready; a round takes this many nanoseconds.
    Warm(u64),
    /// A round was measured.
    Round(u32, Vec<Measured>),
    /// It is done.
    Ended,
    /// A person asked to stop.
    Interrupted,
}

impl<'a> Worker<'a> {
    /// Starts a worker in a process group of its own, so that Ctrl-C reaches the supervisor alone.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn start(plan: &'a Plan, process: u32, mut command: Command) -> Result<Self, MeasureError> {
        let failed = |source| MeasureError::Spawn { process, source };
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).spawn().map_err(failed)?;
        let missing = || failed(io::ErrorKind::BrokenPipe.into());
        let orders = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let (send, lines) = channel();
        thread::spawn(move || BufReader::new(output).lines().try_for_each(|line| send.send(line)));
        Ok(Self { plan, process, child, orders, lines, doing: "loading the contracts".into(), patience: PATIENCE * 6 })
    }

    /// Tells a waiting worker to measure another round, or to end.
    ///
    /// # Errors
    /// It is gone.
    pub fn go_on(&mut self, another: bool) -> Result<(), MeasureError> {
        writeln!(self.orders, "{}", if another { GO } else { "end" })
            .and_then(|()| self.orders.flush())
            .map_err(|source| MeasureError::Spawn { process: self.process, source })
    }

    /// Waits for the next message.
    ///
    /// # Errors
    /// The worker reports one, dies, falls silent or babbles.
    pub fn next(&mut self, interrupted: &AtomicBool) -> Result<Progress, MeasureError> {
        let since = Instant::now();
        let line = loop {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(Progress::Interrupted);
            }
            match self.lines.recv_timeout(GLANCE) {
                Ok(Ok(line)) => break line,
                Ok(Err(source)) => return Err(MeasureError::Spawn { process: self.process, source }),
                Err(RecvTimeoutError::Disconnected) => return self.ended(),
                Err(RecvTimeoutError::Timeout) if since.elapsed() > self.patience => {
                    return Err(MeasureError::Hang { last: self.doing.clone(), seconds: self.patience.as_secs() });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        let babble = |_| MeasureError::Protocol { process: self.process, line: line.clone() };
        match serde_json::from_str(&line).map_err(babble)? {
            Message::Checking { point } => {
                self.patience = PATIENCE;
                self.doing = self.plan.points.get(point as usize).map_or_else(String::new, |p| p.point.label());
                Ok(Progress::Checked)
            }
            Message::Warming => {
                self.patience = PATIENCE * 30;
                self.doing = "the warm-up round".into();
                self.next(interrupted)
            }
            Message::Warm { round_ns } => {
                self.patience = PATIENCE.max(Duration::from_nanos(round_ns.saturating_mul(20)));
                self.doing = "a round of measuring".into();
                Ok(Progress::Warm(round_ns))
            }
            Message::Round { round, cycles } => Ok(Progress::Round(round, cycles)),
            Message::Failed { error } => Err(MeasureError::Worker { process: self.process, message: error }),
        }
    }

    fn ended(&mut self) -> Result<Progress, MeasureError> {
        let status = self.child.wait().map_err(|source| MeasureError::Spawn { process: self.process, source })?;
        if status.success() {
            return Ok(Progress::Ended);
        }
        Err(MeasureError::WorkerDied { process: self.process, status: status.to_string(), last: self.doing.clone() })
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        // Both fail only where the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
