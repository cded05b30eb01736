//! A worker process as its supervisor has it: orders go in, lines come out, and its silence is watched.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use std::{env, fs};

use super::watch::Watch;

/// How often the supervisor looks at the marks, and whether a person wants it to end.
const GLANCE: Duration = Duration::from_millis(50);

/// What the supervisor waits for, at most, where a contract should answer at once: ten seconds, or what tests say.
pub(super) fn patience() -> Duration {
    let shorter = env::var("ESTIMATOR_PATIENCE_MS").ok().and_then(|text| text.parse().ok());
    shorter.map_or(Duration::from_secs(10), Duration::from_millis)
}

/// What came of listening to a process.
#[derive(Debug)]
pub(super) enum Heard {
    /// It said this.
    Line(String),
    /// It has been at one thing for so long that people should hear of it. Said once for each thing.
    Slow,
    /// It has been at one thing for longer than it may.
    Silent,
    /// It ended.
    Ended(ExitStatus),
    /// A person asked to stop.
    Interrupted,
}

/// A process that ends with this value.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    orders: ChildStdin,
    lines: Receiver<io::Result<String>>,
    watch: Watch,
    patience: Duration,
    told_slow: bool,
    /// How long it had waited for a processor when it last moved.
    waited: Duration,
}

impl Process {
    /// Starts it in a process group of its own, so that Ctrl-C reaches the supervisor alone. It is waited for with this
    /// [`patience()`].
    pub(super) fn start(mut command: Command, patience: Duration) -> io::Result<Self> {
        let watch = Watch::over(&mut command)?;
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).spawn()?;
        let orders = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let (send, lines) = channel();
        thread::spawn(move || BufReader::new(output).lines().try_for_each(|line| send.send(line)));
        Ok(Self { child, orders, lines, watch, patience, told_slow: false, waited: Duration::ZERO })
    }

    /// Gives it an order. Of one that is gone, [`Process::hear`] tells what it said at last and how it ended.
    pub(super) fn say(&mut self, order: &str) -> io::Result<()> {
        match writeln!(self.orders, "{order}").and_then(|()| self.orders.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Waits for its next line, as long as it is at no one thing for longer than so many `times` the patience.
    pub(super) fn hear(&mut self, times: u32, interrupted: &AtomicBool) -> io::Result<Heard> {
        let (slow, most) = (self.patience / 2, self.patience * times);
        if !self.told_slow {
            self.watch.heard();
            self.waited = self.waits();
        }
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Ok(Heard::Interrupted);
            }
            match self.lines.recv_timeout(GLANCE) {
                Ok(line) => {
                    self.watch.moved();
                    self.told_slow = false;
                    return line.map(Heard::Line);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.watch.moved();
                    return self.child.wait().map(Heard::Ended);
                }
                Err(RecvTimeoutError::Timeout) if self.watch.moved() => {
                    self.told_slow = false;
                    self.waited = self.waits();
                }
                Err(RecvTimeoutError::Timeout) if self.silent_for() > most => return Ok(Heard::Silent),
                Err(RecvTimeoutError::Timeout) if !self.told_slow && self.silent_for() > slow => {
                    self.told_slow = true;
                    return Ok(Heard::Slow);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// How long it has been at one thing, but for what it waited for a processor that others had.
    fn silent_for(&self) -> Duration {
        self.watch.silent_for().saturating_sub(self.waits().saturating_sub(self.waited))
    }

    /// How long its first thread, which runs the cycles, has waited for a processor in all: the second number of `schedstat`
    /// (Documentation/scheduler/sched-stats.rst). None where the kernel does not say.
    fn waits(&self) -> Duration {
        let id = self.child.id();
        let text = fs::read_to_string(format!("/proc/{id}/task/{id}/schedstat")).unwrap_or_default();
        Duration::from_nanos(text.split_whitespace().nth(1).and_then(|nanos| nanos.parse().ok()).unwrap_or_default())
    }

    /// What it was at last, by its marks.
    pub(super) fn at(&self) -> Option<u32> {
        self.watch.subject()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only where the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_gone_says_how_it_ended_and_not_that_it_cannot_be_reached() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "echo last; exit 3"]);
        let mut process = Process::start(command, Duration::from_secs(10)).unwrap();
        process.child.wait().unwrap();
        process.say("go").unwrap();
        let mut hear = || process.hear(1, &AtomicBool::new(false)).unwrap();
        assert!(matches!(hear(), Heard::Line(line) if line == "last"));
        assert!(matches!(hear(), Heard::Ended(status) if status.code() == Some(3)));
    }
}
