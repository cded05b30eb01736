use std::error::Error;
use std::process::ExitCode;

use crate::app::{self, Analysis, ErrorKind};
use crate::files::is_other_kind;

/// Exit codes, the same in every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Fine = 0,
    /// Something could not be done.
    Failed = 1,
    /// The command line asks for what does not exist or makes no sense.
    Usage = 2,
    /// A gated value changed.
    Changed = 3,
    /// The machine is too noisy to say.
    Noisy = 4,
    /// The fit must not be used.
    Rejected = 5,
    /// Files, machines or contract sets that do not go together.
    Incompatible = 6,
}

impl Exit {
    /// The first that is not fine.
    #[must_use]
    pub fn and(self, next: Self) -> Self {
        if self == Self::Fine { next } else { self }
    }

    /// What a command that shows an analysis ends with.
    #[must_use]
    pub fn of_analysis(analysis: &Analysis) -> Self {
        if analysis.is_rejected() {
            Self::Rejected
        } else if analysis.is_unsigned() {
            Self::Noisy
        } else {
            Self::Fine
        }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Failed => Self::Failed,
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Rejected => Self::Rejected,
            ErrorKind::Unsure => Self::Noisy,
            ErrorKind::Incompatible => Self::Incompatible,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Wrong usage that clap cannot see, such as a folder that is not there. A folder for a file, and the reverse, is that as well.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// The code for an error, by the first of its causes that has one of its own.
pub fn of(error: &anyhow::Error) -> Exit {
    let known = |cause: &(dyn Error + 'static)| {
        let request = cause.downcast_ref().map(|error: &app::Error| error.kind().into());
        let usage = cause.is::<UsageError>() || cause.downcast_ref().is_some_and(is_other_kind);
        request.or(usage.then_some(Exit::Usage))
    };
    error.chain().find_map(known).unwrap_or(Exit::Failed)
}
