use std::io;
use std::path::PathBuf;

use crate::runtime::RuntimeError;
#[cfg(feature = "measure")]
use crate::runtime::recycle::RecycleError;
use crate::units::Bytes;
use crate::versioned::VersionedError;

/// Why something cannot be measured, recorded or read back.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A strategy of this name does not exist.
    #[error("unknown strategy `{name}`: the strategies are {}", crate::runtime::Known::names())]
    UnknownStrategy {
        /// The name.
        name: String,
    },
    /// The plan names a variant of which there is no artifact.
    #[error("{point}: no compiled artifact; run again without --resume, or restore the folder `artifacts` of the run")]
    NoArtifact {
        /// The design point.
        point: String,
    },
    /// Nothing measures the experiment that the plan names.
    #[error("the experiment `{experiment}` has no timed part in this version")]
    NoCycle {
        /// Its name.
        experiment: &'static str,
    },
    /// What is measured does not mark its phases as the experiment has them.
    #[error(
        "the experiment `{experiment}` has {phases} phases, and what it measures marks {found} places, not one more"
    )]
    Laps {
        /// Its name.
        experiment: &'static str,
        /// Places that were marked.
        found: usize,
        /// Phases that the experiment has.
        phases: usize,
    },
    /// Allocations are to be counted, and this program's allocator does not.
    #[error(
        "the experiment `{experiment}` counts allocations, and this program's allocator does not: make \
         estimator::measure::CountingAllocator its #[global_allocator], or have `estimator` work for it (Workers::of)"
    )]
    NotCounted {
        /// Its name.
        experiment: &'static str,
    },
    /// The contract cannot be run.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The wipes of recycled memories cannot be compared.
    #[cfg(feature = "measure")]
    #[error("the wipes of recycled memories cannot be compared: free some memory")]
    Calibrate(#[source] RecycleError),
    /// The kernel refuses what a node has beside the call.
    #[error("a process with {process} cannot be had here: ask for less in [node] of the chain file")]
    Surroundings {
        /// The process.
        process: String,
        /// What the kernel says.
        source: io::Error,
    },
    /// The kernel refuses the memory of the probe.
    #[error("the reference probe cannot map {length}: free some memory or lower initial_pages_max in the chain file")]
    Probe {
        /// Its size.
        length: Bytes,
        /// What the kernel says.
        source: io::Error,
    },
    /// The kernel refuses the file in memory that probes copy.
    #[error(
        "the data of {size} that the reference probe copies cannot be kept in memory (memfd_create): allow more open files \
         (ulimit -n) or free some memory"
    )]
    Image {
        /// Its size.
        size: Bytes,
        /// What the kernel says.
        source: io::Error,
    },
    /// The first touch took fewer page faults than there are pages.
    #[error(
        "{point}: the touch took {faults} page faults where {pages} host pages must fault, so it did not reach them; \
         the entry must write one byte per 4 KiB of its range"
    )]
    TouchMissing {
        /// The design point.
        point: String,
        /// Faults seen.
        faults: u64,
        /// Faults due.
        pages: u64,
    },
    /// A memory of `recycle-tracked` was wiped whole.
    #[error(
        "{point}: its memory could not be tracked and was wiped whole: another handler of SIGSEGV is on top, as preloaded libraries          install, or the process has no more mappings; without that, measure again, or leave the strategy out by --strategy"
    )]
    Untracked {
        /// The design point.
        point: String,
    },
    /// A host page holds no written byte after the touch.
    #[error(
        "{point}: the host page at address {address:#x} is all zeros after the touch; the entry must write a byte other than \
         zero to each 4 KiB of its range"
    )]
    PageUntouched {
        /// The design point.
        point: String,
        /// First address of the page.
        address: u64,
    },
    /// The instance's memory is not of the declared size.
    #[error("{point}: the memory has {actual} when the call begins, where the module declares {declared}")]
    MemorySize {
        /// The design point.
        point: String,
        /// As declared.
        declared: Bytes,
        /// As found.
        actual: Bytes,
    },
    /// The worker process cannot be started or spoken to.
    #[error("worker process {process} cannot be started or reached")]
    Spawn {
        /// Its number.
        process: u32,
        /// What the system says.
        source: io::Error,
    },
    /// The worker process ended before its work.
    #[error("worker process {process} ended early ({status}); last at: {last}")]
    WorkerDied {
        /// Its number.
        process: u32,
        /// Its exit status.
        status: String,
        /// What it was doing.
        last: String,
    },
    /// The worker reports an error of its own.
    #[error("worker process {process}: {message}")]
    Worker {
        /// Its number.
        process: u32,
        /// The error with its causes.
        message: String,
    },
    /// A contract does not return.
    #[error("{last}: no answer for {seconds} s, so it was stopped; {way_out}")]
    Hang {
        /// The point that the worker was at, and what it was doing.
        last: String,
        /// How long it was waited for.
        seconds: f64,
        /// What would help.
        way_out: &'static str,
    },
    /// A strategy of which the run already has samples cannot be set up.
    #[error("strategy `{strategy}` was measured before and cannot be set up now: {reason}")]
    Unfit {
        /// Its name.
        strategy: String,
        /// Why.
        reason: String,
    },
    /// A worker cannot open what it shares with its supervisor.
    #[error("the worker process cannot tell its supervisor what it is at")]
    Marks(#[source] io::Error),
    /// The program that was started as a worker does not begin as one.
    #[error(
        "the program that was started as a worker is none, it said: {said}; a program that measures calls \
         app::serve_if_worker() first of all in its `main`, or names another with app::Workers"
    )]
    NoWorker {
        /// What it said first.
        said: String,
    },
    /// What a worker says is not understood.
    #[error("worker process {process} says something that is not understood: {line}")]
    Protocol {
        /// Its number.
        process: u32,
        /// The line.
        line: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// What was tried, such as `read`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Two processes would measure the same run.
    #[error("{} is being written by another process: wait for that run, or end it", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Rows cannot be appended to a file with other columns.
    #[error("{} has other columns than this run writes, so it cannot be resumed: measure again", path.display())]
    OtherColumns {
        /// The file.
        path: PathBuf,
    },
    /// A worker is of another build, whose samples do not belong to those of this one.
    #[error("worker process {process} is {its}, and its supervisor is {own}: name the program itself as its worker")]
    OtherBuild {
        /// Number of the process.
        process: u32,
        /// The supervisor's.
        own: String,
        /// The worker's.
        its: String,
    },
    /// `run.toml` is broken.
    #[error("{}: {message}", path.display())]
    RunFile {
        /// The file.
        path: PathBuf,
        /// The place and the key, as the TOML parser gives them.
        message: String,
    },
    /// `run.toml` breaks its format, or is of another.
    #[error(transparent)]
    Format(#[from] VersionedError),
    /// The samples are not those of the run.
    #[error("{}: {message}; restore the file, or measure again", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What does not agree.
        message: String,
    },
    /// A row of samples is broken.
    #[error("{}:{line}: {message}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong.
        message: String,
    },
}

impl MeasureError {
    /// Whether what was named and this build do not go together.
    #[must_use]
    pub const fn is_incompatible(&self) -> bool {
        match self {
            Self::Format(error) => error.is_other_format(),
            Self::OtherBuild { .. } => true,
            _ => false,
        }
    }
}
