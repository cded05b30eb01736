//! The process that cycles are measured in: what a node has beside the call.

use std::hint;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::{Pid, getppid};

use super::MeasureError;
use super::mapping::{Mapping, mappings};
use crate::experiment::node::{CALLING_THREADS, IDLE_THREADS, SPINNING_THREADS};
use crate::experiment::{Factor, Levels};
use crate::runtime::{LoadedContract, RuntimeError};
use crate::units::Bytes;

/// A contract that a thread beside the call runs, and how much of its memory it touches.
pub(super) type Callee = (Arc<dyn LoadedContract>, Bytes);

/// The contracts of a process beside the measured one.
#[derive(Default)]
pub(super) struct Contracts {
    /// What calling threads call by turns.
    pub(super) called: Vec<Callee>,
    /// What is loaded and was called once.
    pub(super) loaded: Vec<Arc<dyn LoadedContract>>,
    /// What other threads call again and again at the same time, one for each.
    pub(super) at_once: Vec<Callee>,
}

/// What is beside a call for as long as this value lives.
pub(super) struct Surroundings {
    threads: Vec<Beside>,
    _mappings: Vec<Mapping>,
    _loaded: Vec<Arc<dyn LoadedContract>>,
}

impl Surroundings {
    /// Makes the process such as these levels say. Every thread has done its work once when this returns.
    ///
    /// # Errors
    /// The kernel refuses a thread or memory, or a contract that is only loaded cannot be instantiated.
    pub(super) fn new(levels: &Levels, contracts: Contracts) -> Result<Self, MeasureError> {
        let refused = |source| MeasureError::Surroundings { process: levels.process(), source };
        let mappings = mappings(levels).map_err(refused)?;
        for contract in &contracts.loaded {
            drop(contract.instantiate()?);
        }
        let count = |factor: &Factor| usize::try_from(levels.get(factor)).unwrap_or(usize::MAX);
        let idle = (0..count(&IDLE_THREADS)).map(|_| Work::Idle);
        let spinning = (0..count(&SPINNING_THREADS)).map(|_| Work::Spin);
        let calling = (0..count(&CALLING_THREADS)).map(|turn| {
            let mut called = contracts.called.clone();
            let length = called.len().max(1);
            called.rotate_left(turn % length);
            Work::Call(called)
        });
        let at_once = contracts.at_once.into_iter().map(|callee| Work::Call(vec![callee]));
        let (ready, all_ready) = channel();
        let start = |work: Work| Beside::start(work, ready.clone());
        let threads: io::Result<Vec<Beside>> = idle.chain(spinning).chain(calling).chain(at_once).map(start).collect();
        let threads = threads.map_err(refused)?;
        drop(ready);
        // Nothing is ever sent: it ends when the last thread has dropped its side.
        let _ = all_ready.recv();
        Ok(Self { threads, _mappings: mappings, _loaded: contracts.loaded })
    }

    /// Takes it all away again.
    ///
    /// # Errors
    /// A contract of another thread could not be instantiated, or trapped.
    pub(super) fn end(mut self) -> Result<(), RuntimeError> {
        self.threads.iter_mut().for_each(|thread| drop(thread.end.take()));
        self.threads.drain(..).try_for_each(Beside::join)
    }
}

/// What a thread does, again and again.
enum Work {
    Idle,
    Spin,
    Call(Vec<Callee>),
}

/// A thread, until its end is dropped.
struct Beside {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<Result<(), RuntimeError>>>,
}

impl Beside {
    fn start(work: Work, ready: Sender<()>) -> io::Result<Self> {
        let (end, ended) = channel();
        let thread = thread::Builder::new().spawn(move || {
            leave_processor();
            work.go_on(&ended, ready)
        })?;
        Ok(Self { end: Some(end), thread: Some(thread) })
    }

    fn join(mut self) -> Result<(), RuntimeError> {
        self.end = None;
        match self.thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(outcome)) => outcome,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // Also where the measurement failed: a spinning thread would keep the process for ever.
            let _ = thread.join();
        }
    }
}

impl Work {
    /// Until nobody can send on `ended` any more. `ready` is dropped when it was done once.
    fn go_on(self, ended: &Receiver<()>, ready: Sender<()>) -> Result<(), RuntimeError> {
        /// As long as an asynchronous runtime sleeps between two looks at its timers.
        const NAP: Duration = Duration::from_millis(10);
        let mut ready = Some(ready);
        let mut turn = 0;
        loop {
            match &self {
                Self::Idle => {}
                Self::Spin => (0..10_000).for_each(|_| hint::spin_loop()),
                Self::Call(called) => {
                    if let Some((contract, length)) = called.get(turn % called.len().max(1)) {
                        contract.instantiate()?.touch(*length)?;
                    }
                }
            }
            turn += 1;
            ready = ready.filter(|_| matches!(&self, Self::Call(called) if turn < called.len()));
            let over = match &self {
                Self::Idle => ended.recv_timeout(NAP) == Err(RecvTimeoutError::Disconnected),
                _ => ended.try_recv() == Err(TryRecvError::Disconnected),
            };
            if over {
                return Ok(());
            }
        }
    }
}

/// Moves this thread to the processors that the supervisor may use, without the one that the measuring thread is bound to, if there
/// are others. Where the kernel refuses, it stays: then the threads take turns, which a node with one processor does too.
fn leave_processor() {
    let (Ok(mut allowed), Ok(own)) = (sched_getaffinity(getppid()), sched_getaffinity(Pid::from_raw(0))) else {
        return;
    };
    let bound: Vec<usize> = (0..CpuSet::count()).filter(|&cpu| own.is_set(cpu).unwrap_or(false)).collect();
    if let [only] = bound[..] {
        let _ = allowed.unset(only);
        let _ = sched_setaffinity(Pid::from_raw(0), &allowed);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::experiment::node::{MAPPINGS, PAGE_TABLES, RESERVED, RESIDENT};

    fn of_status(key: &str) -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Other tests run beside, so what is there is held against what was asked for with room to spare.
    #[test]
    fn what_was_asked_for_is_there_and_goes_again() {
        let levels = Levels::default().with(&IDLE_THREADS, 40).with(&SPINNING_THREADS, 1).with(&MAPPINGS, 4000);
        let levels = levels.with(&RESIDENT, 512 << 20).with(&PAGE_TABLES, 500).with(&RESERVED, 1 << 42);
        let maps = || fs::read_to_string("/proc/self/maps").unwrap().lines().count();
        let surroundings = Surroundings::new(&levels, Contracts::default()).unwrap();
        assert!(of_status("Threads") >= 42 && maps() >= 4000);
        assert!(of_status("VmRSS") >= 512 << 10 && of_status("VmPTE") >= 2000 && of_status("VmSize") >= 1 << 32);
        surroundings.end().unwrap();
        assert!(maps() < 4000 && of_status("VmSize") < 1 << 32);
    }

    #[test]
    fn memory_that_cannot_be_had_is_an_error_that_names_the_process() {
        let levels = Levels::default().with(&RESERVED, i64::MAX.cast_unsigned());
        let error = Surroundings::new(&levels, Contracts::default()).err().unwrap();
        assert!(error.to_string().contains("reserved"), "{error}");
    }
}
