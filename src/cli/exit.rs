use std::process::ExitCode;

use crate::app::{self, Analysis, ErrorKind};
use crate::files::is_other_kind;
use crate::history::HistoryError;
use crate::measure::MeasureError;
use crate::params::ParamsError;

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
    /// What a command that shows an analysis ends with.
    #[must_use]
    pub fn of_analysis(analysis: &Analysis) -> Self {
        if analysis.is_rejected() { Self::Rejected } else { Self::Fine }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Failed => Self::Failed,
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Rejected => Self::Rejected,
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

/// Things that do not go together.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct IncompatibleError(pub String);

/// What somebody must be told to accept before it is done, with the code of the gravest of it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RefusedError {
    pub message: String,
    pub exit: Exit,
}

/// The code for an error, by the first of its causes that has one of its own.
pub fn of(error: &anyhow::Error) -> Exit {
    let known = |cause: &(dyn std::error::Error + 'static)| {
        if let Some(error) = cause.downcast_ref::<app::Error>() {
            return Some(error.kind().into());
        }
        let apart =
            matches!(cause.downcast_ref(), Some(MeasureError::NewerFormat { .. } | MeasureError::OlderFormat { .. }))
                || cause.downcast_ref().is_some_and(ParamsError::is_incompatible)
                || cause.downcast_ref().is_some_and(HistoryError::is_incompatible);
        if apart || cause.is::<IncompatibleError>() {
            return Some(Exit::Incompatible);
        }
        if let Some(refused) = cause.downcast_ref::<RefusedError>() {
            return Some(refused.exit);
        }
        let usage = cause.is::<UsageError>()
            || cause.downcast_ref().is_some_and(is_other_kind)
            || matches!(cause.downcast_ref(), Some(ParamsError::RateMissing(_)))
            || matches!(cause.downcast_ref(), Some(HistoryError::Missing { .. }));
        usage.then_some(Exit::Usage)
    };
    error.chain().find_map(known).unwrap_or(Exit::Failed)
}
