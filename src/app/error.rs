use std::error::Error as _;
use std::io;

use crate::contract::{self, ContractError};
use crate::files::is_other_kind;
use crate::history::HistoryError;
use crate::measure::MeasureError;
use crate::model::{ModelError, WorkloadError};
use crate::params::ParamsError;
use crate::report::ReportError;
use crate::runtime::Unavailable;
#[cfg(feature = "measure")]
use crate::runtime::isolation::IsolationError;

/// Why a request was not carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request asks for what does not exist or makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Runs, tables, machines or contract sets that do not go together.
    #[error("{0}")]
    Incompatible(String),
    /// The fit behind it must not be used.
    #[error("{0}")]
    Rejected(String),
    /// A change may not be real.
    #[error("{0}")]
    Unsure(String),
    /// It was tried and cannot be done.
    #[error("{0}")]
    Failed(String),
    /// The system refuses something.
    #[error("{doing}")]
    System {
        /// What cannot be done.
        doing: String,
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be written. The source names it.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// Contracts cannot be read, compiled or written.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// Something cannot be measured, recorded or read back.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A reset strategy lets a tenant see another, or cannot run.
    #[cfg(feature = "measure")]
    #[error(transparent)]
    Isolation(#[from] IsolationError),
    /// This machine lacks what a reset strategy needs.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The samples allow no statistics.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A file holds no workload, or one that the run does not measure.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// Chain settings or a table cannot be read, proposed or written.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// A history cannot be read or written.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A report cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// A result cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// What another error means for the request, or what to do about it.
    #[error("{text}")]
    Context {
        /// In words.
        text: String,
        /// The error.
        source: Box<Error>,
    },
}

/// What an [`Error`] asks of whoever made the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// To look at what failed: a file, a contract, a tool or the machine.
    Failed,
    /// To ask otherwise.
    Usage,
    /// Not to use the fit.
    Rejected,
    /// To measure again, since a change may not be real.
    Unsure,
    /// Not to put together what does not go together.
    Incompatible,
}

impl Error {
    /// What it asks of whoever made the request.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Usage(_)
            | Self::Params(ParamsError::RateMissing(_))
            | Self::History(HistoryError::Missing { .. }) => ErrorKind::Usage,
            Self::Rejected(_) => ErrorKind::Rejected,
            Self::Unsure(_) => ErrorKind::Unsure,
            Self::History(error) if error.is_incompatible() => ErrorKind::Incompatible,
            Self::Incompatible(_) | Self::Workload(WorkloadError::Beyond(_)) => ErrorKind::Incompatible,
            Self::Measure(error) if error.is_incompatible() => ErrorKind::Incompatible,
            Self::Params(error) if error.is_incompatible() => ErrorKind::Incompatible,
            Self::Contract(error) => match error.kind() {
                contract::ErrorKind::Failed => ErrorKind::Failed,
                contract::ErrorKind::Usage => ErrorKind::Usage,
                contract::ErrorKind::Incompatible => ErrorKind::Incompatible,
            },
            Self::Context { source, .. } => source.kind(),
            Self::Write(error) if is_other_kind(error) => ErrorKind::Usage,
            other if other.names_a_path_of_another_kind() => ErrorKind::Usage,
            _ => ErrorKind::Failed,
        }
    }

    fn names_a_path_of_another_kind(&self) -> bool {
        let mut causes = std::iter::successors(self.source(), |&cause| cause.source());
        causes.any(|cause| cause.downcast_ref().is_some_and(is_other_kind))
    }

    /// The same with what it means for the request.
    #[must_use]
    pub(crate) fn context(self, text: impl Into<String>) -> Self {
        Self::Context { text: text.into(), source: Box::new(self) }
    }
}

/// Says what cannot be done where the system refuses something.
pub(crate) fn system(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
    let doing = doing.into();
    |source| Error::System { doing, source }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::versioned::VersionedError;

    #[test]
    fn what_an_error_is_about_tells_its_kind_through_every_context() {
        let kind = |error: Error| error.context("outer").kind();
        let newer = VersionedError::Newer { file: PathBuf::new(), found: 9, known: 2 };
        assert_eq!(kind(MeasureError::from(newer).into()), ErrorKind::Incompatible);
        let folder = || io::Error::from(io::ErrorKind::IsADirectory);
        assert_eq!(kind(folder().into()), ErrorKind::Usage);
        assert_eq!(kind(system("cannot read it")(folder())), ErrorKind::Usage);
        let file = MeasureError::File { action: "read", path: PathBuf::new(), source: folder() };
        assert_eq!(kind(file.into()), ErrorKind::Usage);
        assert_eq!(kind(ContractError::NoFolder(PathBuf::new()).into()), ErrorKind::Usage);
        assert_eq!(kind(Error::Rejected(String::new())), ErrorKind::Rejected);
        assert_eq!(kind(ModelError::NoSamples.into()), ErrorKind::Failed);
    }
}
