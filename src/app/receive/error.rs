use std::error::Error as StdError;
use std::io::{self, ErrorKind};
use std::iter::successors;

use crate::app::error::Error;
use crate::history::HistoryError;
use crate::units::Bytes;

/// Why a run is not taken. Nothing is kept of it then.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    /// More than is taken, perhaps only once it is decompressed.
    #[error("the run is larger than {0} unpacked")]
    TooLarge(Bytes),
    /// What was sent is no archive of a run, or tries to write elsewhere.
    #[error("{0}")]
    Archive(String),
    /// The run cannot be used.
    #[error("{0}")]
    Run(String),
    /// There is no room.
    #[error("there is no room for the run")]
    Full(#[source] Box<dyn StdError + Send + Sync>),
    /// The service cannot keep it.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl ReceiveError {
    /// What the system says where a file of the run is written.
    pub(super) fn disk(error: io::Error) -> Self {
        Self::of(Error::Write(error))
    }

    /// An error of keeping: a full disk, or another.
    pub(crate) fn of(error: impl Into<Error>) -> Self {
        let error = error.into();
        if is_full(&error) { Self::Full(Box::new(error)) } else { Self::Failed(error) }
    }
}

impl From<HistoryError> for ReceiveError {
    fn from(error: HistoryError) -> Self {
        Self::of(error)
    }
}

/// Whether it comes from a disk, a quota or a limit that is full.
fn is_full(error: &(dyn StdError + 'static)) -> bool {
    successors(Some(error), |&error| error.source()).any(|cause| {
        let full = |error: &io::Error| {
            matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
        };
        // Those that stand for another one hide it from their sources.
        let own = cause.downcast_ref().or_else(|| cause.downcast_ref::<Box<Error>>().map(AsRef::as_ref));
        match own {
            Some(Error::Write(error)) => full(error),
            Some(Error::History(error)) => error.is_full(),
            _ => cause.downcast_ref().is_some_and(full),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_failures_through_every_context() {
        let of = |kind: ErrorKind| ReceiveError::of(Error::Write(io::Error::new(kind, "x")).context("outer"));
        assert!(matches!(of(ErrorKind::StorageFull), ReceiveError::Full(_)));
        assert!(matches!(of(ErrorKind::QuotaExceeded), ReceiveError::Full(_)));
        assert!(matches!(of(ErrorKind::PermissionDenied), ReceiveError::Failed(_)));
    }
}
