//! What can be wrong with settings, tables and proposals.

use std::io;
use std::path::{Path, PathBuf};

use crate::versioned::VersionedError;

/// Why settings or a table could not be read, made, compared or written.
#[derive(Debug, thiserror::Error)]
pub enum ParamsError {
    /// The file cannot be read, or is not UTF-8.
    #[error("cannot read `{}`: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
    /// The file cannot be written. The source names it.
    #[error(transparent)]
    Write(io::Error),
    /// The text breaks its format, or is of another.
    #[error(transparent)]
    Format(#[from] VersionedError),
    /// A number of a parameter cannot be proposed or written.
    #[error("parameter `{param}`: {reason}")]
    Param {
        /// The parameter's name.
        param: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A change leaves behind what is not a table.
    #[error("`{}`: after this change `{key}`: {reason}", file.display())]
    Outcome {
        /// The change, or the table that it was made to.
        file: PathBuf,
        /// The offending key with the sections it is in.
        key: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// A key has another old value than the change expects.
    #[error("`{}`: `{key}` is {found}, and the change expects the old value {expected}", file.display())]
    OldMismatch {
        /// The table that was to be changed.
        file: PathBuf,
        /// The key with the sections it is in.
        key: String,
        /// The old value in the change.
        expected: String,
        /// The value in the table.
        found: String,
    },
    /// A key that the change expects is not there.
    #[error("`{}`: `{key}` is missing, and the change expects the old value {expected}", file.display())]
    OldMissing {
        /// The table that was to be changed.
        file: PathBuf,
        /// The key with the sections it is in.
        key: String,
        /// The old value in the change.
        expected: String,
    },
    /// A key is there that the change takes for new.
    #[error("`{}`: `{key}` is {found} already, and the change expects no old value", file.display())]
    OldUnexpected {
        /// The table that was to be changed.
        file: PathBuf,
        /// The key with the sections it is in.
        key: String,
        /// The value in the table.
        found: String,
    },
    /// A change is recorded, and its table could be neither written nor the record taken back.
    #[error("the change is recorded and not written into `{}`: {source}; to write it: estimator promote --replay --onto {}", table.display(), table.display())]
    Halfway {
        /// The table.
        table: PathBuf,
        /// Why it was not written.
        source: io::Error,
    },
    /// A folder of accepted changes is not numbered from 0001 on without a gap.
    #[error("`{}` has {found} where {expected} should be: put the missing change back, or the other file elsewhere", folder.display())]
    Numbering {
        /// The folder.
        folder: PathBuf,
        /// The file that was found.
        found: String,
        /// The file that was expected.
        expected: String,
    },
    /// A format needs to be told what a second of execution is worth.
    #[error("{0}")]
    RateMissing(String),
    /// The table does not fit into the format of a chain.
    #[error("cannot export: {0}")]
    Export(String),
    /// The threshold of a comparison is negative or not a number.
    #[error("the threshold {0} is not a share of at least 0: write 0.02 for 2 %")]
    Threshold(f64),
}

impl ParamsError {
    /// The error of the file system on reading a file or a folder.
    pub(super) fn read(file: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::Read { file: file.into(), source }
    }

    /// Whether the files are in order by themselves, and do not go with each other or with this version.
    #[must_use]
    pub fn is_incompatible(&self) -> bool {
        match self {
            Self::Format(error) => error.is_other_format(),
            Self::OldMismatch { .. } | Self::OldMissing { .. } | Self::OldUnexpected { .. } => true,
            _ => false,
        }
    }
}
