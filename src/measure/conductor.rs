//! The surroundings of a run: how its processes start, and who hears of it.

use std::process::Command;
use std::sync::atomic::AtomicBool;

use super::Samples;

/// What happens while a run is measured, for those who watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// A contract is about to be compiled under a strategy, this one of so many.
    Loading {
        /// Counted from 1.
        number: usize,
        /// Over all strategies.
        of: usize,
    },
    /// A strategy that the chain does not need cannot be set up, and is taken out of the plan.
    LeftOut {
        /// Its name.
        strategy: &'a str,
        /// Why.
        reason: &'a str,
    },
    /// One thing takes long.
    Slow {
        /// What it is, beginning with its point.
        doing: &'a str,
    },
    /// A worker process starts, this one of so many.
    Process {
        /// Counted from 1.
        number: u32,
        /// In this shard.
        of: u32,
    },
    /// The worker is about to run another point for the first time, this one of so many.
    Checked {
        /// Counted from 1.
        number: usize,
        /// In the plan.
        of: usize,
    },
    /// A round has been stored, this one of so many.
    Round {
        /// Counted from 1, over all processes.
        number: u32,
        /// Over all processes.
        of: u32,
    },
    /// The run is too noisy as it is, and goes on to so many times its length.
    GoesOn {
        /// Two, then three.
        times: u32,
    },
}

/// The surroundings of a run.
pub struct Conductor<'a> {
    /// Makes the command that starts a worker process of this number.
    pub worker: &'a dyn Fn(u32) -> Command,
    /// Makes the command that starts the process that prepares a run.
    pub preparer: &'a dyn Fn() -> Command,
    /// The strategy without which there is no run: the chain's own.
    pub needed: &'a str,
    /// Set when a person asks to stop.
    pub interrupted: &'a AtomicBool,
    /// Hears what happens.
    pub watch: &'a dyn Fn(Event<'_>),
    /// Whether the samples stored so far are precise enough to stop. Asked after half and after three quarters of the processes
    /// only: whoever looks often enough finds an interval that is narrow by luck.
    pub precise_enough: &'a dyn Fn(&Samples) -> bool,
    /// Whether they are too noisy for what the run is for.
    pub too_noisy: &'a dyn Fn(&Samples) -> bool,
}
