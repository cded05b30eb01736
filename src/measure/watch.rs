//! What a worker process is at, seen from outside without a word from it: a silent one can then be named.

use std::cell::Cell;
use std::env;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::memfd::{MFdFlags, memfd_create};

/// Names to a worker the file in memory that it shares with its supervisor.
const VARIABLE: &str = "ESTIMATOR_MARKS";

/// The worker's side: where it marks what it is at.
///
/// A mark is one system call that wakes nobody. It belongs outside of timed spans, before the caches are made cold.
#[derive(Debug, Default)]
pub struct Marks {
    file: Option<File>,
    count: Cell<u32>,
}

impl Marks {
    /// Those that the supervisor of this process watches; none that anybody sees if it has no supervisor.
    ///
    /// # Errors
    /// The file that the supervisor names cannot be opened.
    pub fn watched() -> io::Result<Self> {
        let open = |number: String| OpenOptions::new().write(true).open(format!("/proc/self/fd/{number}"));
        Ok(Self { file: env::var(VARIABLE).ok().map(open).transpose()?, count: Cell::default() })
    }

    /// Marks that it begins with something new of this number: a point, or a contract.
    pub fn at(&self, subject: u32) {
        let Some(file) = &self.file else { return };
        self.count.set(self.count.get().wrapping_add(1));
        // Memory of our own takes any write. Were one lost, a silence would be named after the mark before.
        let _ = file.write_all_at(&encoded(self.count.get(), Some(subject)), 0);
    }
}

/// The supervisor's side.
#[derive(Debug)]
pub(super) struct Watch {
    file: File,
    seen: [u8; 8],
    since: Instant,
}

impl Watch {
    /// Lets the process that this command will start be watched.
    pub(super) fn over(command: &mut Command) -> io::Result<Self> {
        // Not closed on exec: the worker inherits it. It is closed here when the worker is done.
        let file: File = memfd_create(c"estimator-marks", MFdFlags::empty())?.into();
        let seen = encoded(0, None);
        file.write_all_at(&seen, 0)?;
        command.env(VARIABLE, file.as_raw_fd().to_string());
        Ok(Self { file, seen, since: Instant::now() })
    }

    /// Takes note that the process was heard of by other means.
    pub(super) fn heard(&mut self) {
        self.since = Instant::now();
    }

    /// Whether it began with something new since the last look.
    pub(super) fn moved(&mut self) -> bool {
        let mut now = self.seen;
        // What cannot be read tells nothing new.
        let _ = self.file.read_exact_at(&mut now, 0);
        let moved = now != self.seen;
        if moved {
            self.seen = now;
            self.heard();
        }
        moved
    }

    /// How long nothing was heard or seen of it.
    pub(super) fn silent_for(&self) -> Duration {
        self.since.elapsed()
    }

    /// What it was at when it was last looked at.
    pub(super) fn subject(&self) -> Option<u32> {
        let [_, _, _, _, subject @ ..] = self.seen;
        u32::from_le_bytes(subject).checked_sub(1)
    }
}

fn encoded(count: u32, subject: Option<u32>) -> [u8; 8] {
    let subject = subject.map_or(0, |subject| subject.saturating_add(1));
    (u64::from(subject) << 32 | u64::from(count)).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_seen_once_and_names_its_subject() {
        let mut watch = Watch::over(&mut Command::new("nothing")).unwrap();
        let file = OpenOptions::new().write(true).open(format!("/proc/self/fd/{}", watch.file.as_raw_fd())).unwrap();
        let marks = Marks { file: Some(file), count: Cell::default() };
        assert_eq!((watch.moved(), watch.subject()), (false, None));
        for subject in [0, 0, 7] {
            marks.at(subject);
            assert_eq!((watch.moved(), watch.subject()), (true, Some(subject)));
            assert!(!watch.moved());
        }
    }
}
