//! Other threads of the process while a cycle is measured.

use std::hint;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::{Pid, getppid};

use super::MeasureError;
use crate::experiment::{Neighbour, Point};
use crate::runtime::{LoadedContract, RuntimeError};

/// Measures while as many threads as the point says are at the same cycle, again and again, or another one spins.
///
/// They have been through one cycle before the measurement begins, so that their slots are no newer than its own.
///
/// # Errors
/// The measurement fails, or a contract of another thread cannot be instantiated or traps.
pub(super) fn with_neighbours<T>(
    contract: &dyn LoadedContract,
    point: &Point,
    measured: impl FnOnce() -> Result<T, RuntimeError>,
) -> Result<T, MeasureError> {
    let others = point.threads().saturating_sub(1) as usize;
    let spinning = usize::from(point.neighbour() == Neighbour::Spinning);
    if others + spinning == 0 {
        return Ok(measured()?);
    }
    let ready = Barrier::new(others + spinning + 1);
    let over = AtomicBool::new(false);
    let is_over = || over.load(Ordering::Relaxed);
    let call = || -> Result<(), RuntimeError> {
        let mut tenant = contract.instantiate()?;
        tenant.touch(point.touched_pages().bytes())?;
        tenant.touch(point.touched_pages().bytes())
    };
    thread::scope(|scope| {
        for _ in 0..spinning {
            scope.spawn(|| {
                leave_processor();
                ready.wait();
                while !is_over() {
                    hint::spin_loop();
                }
            });
        }
        let others: Vec<_> = (0..others)
            .map(|_| {
                scope.spawn(|| {
                    leave_processor();
                    let first = call();
                    // Whatever came of it, the measured thread waits.
                    ready.wait();
                    first?;
                    while !is_over() {
                        call()?;
                    }
                    Ok::<_, RuntimeError>(())
                })
            })
            .collect();
        ready.wait();
        let end = End(&over);
        let result = measured();
        drop(end);
        for other in others {
            match other.join() {
                Ok(outcome) => outcome?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(result?)
    })
}

/// Ends the neighbours, also if the measurement panics: a spinning thread would keep the process for ever.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
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
