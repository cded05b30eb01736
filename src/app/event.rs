use std::path::Path;

use jiff::SignedDuration;

use crate::contract::corpus::CorpusError;
use crate::history::{self, Finding};
use crate::host::Hazard;
use crate::measure::RunFile;

/// What happens while a request is carried out.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something worth knowing, in words.
    Note(&'a str),
    /// Something that may have to be mended, in words. The work goes on.
    Warning(&'a str),
    /// rustup is asked for the target of Rust contracts, which takes as long as a download.
    AddingTarget {
        /// The target.
        target: &'a str,
        /// The compiler.
        toolchain: &'a str,
    },
    /// Contracts are left out for lack of a toolchain.
    Skipped {
        /// Their names.
        contracts: &'a [&'a str],
        /// What is missing.
        reason: &'a str,
        /// The command that mends it.
        mend: &'a str,
    },
    /// A name leads to no file.
    Missing(&'a CorpusError),
    /// Links to folders were not followed, so that no loop is.
    PassedBy {
        /// How many.
        links: usize,
    },
    /// The machine makes times noisy.
    Hazard(&'a Hazard),
    /// A run is about to be measured, or goes on.
    Run {
        /// What is planned.
        run: &'a RunFile,
        /// Its folder.
        folder: &'a Path,
    },
    /// From here on an interruption of the session is heeded: what is measured by then is kept.
    Stoppable,
    /// A worker process starts, this one of so many.
    Process {
        /// Counted from 1.
        number: u32,
        /// In all.
        of: u32,
    },
    /// It is known how long a stage will take.
    Expected {
        /// The stage.
        stage: Stage,
        /// What is measured.
        contracts: usize,
        /// Time for measuring them, without loading.
        time: SignedDuration,
    },
    /// So much of a stage is done.
    Progress {
        /// The stage.
        stage: Stage,
        /// What is done.
        done: usize,
        /// What there is to do.
        of: usize,
    },
    /// A run of a night shows what looks like a change, so another is made to confirm or refute it.
    Suspected(&'a [Finding]),
    /// A night measures nothing because of a hazard, in words.
    Refused(&'a str),
    /// People are told of something by a command or a webhook.
    Alert(&'a history::Event),
    /// One thing takes long.
    Slow {
        /// What it is, beginning with its contract.
        doing: &'a str,
    },
}

/// What is being done, and by what its progress is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Modules are made from sources, or read back: by modules.
    Making,
    /// The worker compiles under each strategy: by contracts under their strategies.
    Compiling,
    /// Each point runs for the first time: by points.
    Checking,
    /// Real contracts are tried once: by contracts.
    Trying,
    /// By rounds.
    Measuring {
        /// This part, counted from 1.
        part: usize,
        /// In so many.
        of: usize,
    },
}

impl Stage {
    /// All rounds in one part.
    pub(super) const MEASURING: Self = Self::Measuring { part: 1, of: 1 };
}
