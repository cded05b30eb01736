use std::io;
use std::path::PathBuf;

use crate::contract::FactsError;
use crate::text::name_of;
use crate::units::Bytes;

/// The most that is read as one contract. A compressed file of some kilobytes can hold gigabytes.
pub const MODULE_MAX: Bytes = Bytes(256 << 20);

/// How a list of names is called.
pub(super) const STANDARD_INPUT: &str = "standard input";

/// Why a path leads to no contract.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// Nothing has that name.
    #[error("no file or folder {}, and no pattern that finds one", name_of(.0))]
    Nothing(PathBuf),
    /// A folder without modules.
    #[error("no .wasm or .wasm.gz file in {}", name_of(.0))]
    Empty(PathBuf),
    /// A pattern that cannot be read.
    #[error("`{pattern}` is not a pattern: {source}")]
    Pattern {
        /// As given.
        pattern: String,
        /// What is wrong with it.
        source: glob::PatternError,
    },
    /// A list of names that is no such list.
    #[error("the list on standard input {0}")]
    List(&'static str),
    /// Something that is named like a contract in a folder and is none, such as a pipe.
    #[error("{} is a pipe, a socket or a device: name it to have it read", name_of(.0))]
    NoFile(PathBuf),
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", name_of(path))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// More bytes than any contract has, perhaps only once they are decompressed.
    #[error("{} is larger than {MODULE_MAX}, the most that is read as one contract", name_of(.0))]
    TooLarge(PathBuf),
    /// The file is no module.
    #[error("{}: {source}", name_of(path))]
    Facts {
        /// The file.
        path: PathBuf,
        /// Why, with the byte.
        source: FactsError,
    },
}

impl CorpusError {
    /// Whether the command line is at fault: it names what is not there.
    #[must_use]
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Nothing(_) | Self::Empty(_) | Self::Pattern { .. } | Self::List(_))
    }

    /// The file, folder or pattern.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Pattern { pattern, .. } => pattern.clone(),
            Self::List(_) => STANDARD_INPUT.into(),
            Self::Nothing(path)
            | Self::Empty(path)
            | Self::TooLarge(path)
            | Self::NoFile(path)
            | Self::Io { path, .. }
            | Self::Facts { path, .. } => name_of(path),
        }
    }

    /// What is wrong without the path, for tables that name it in another column.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Io { source, .. } => format!("cannot be read: {source}"),
            Self::Nothing(_) => "no file or folder, and no pattern that finds one".into(),
            Self::Empty(_) => "a folder without a .wasm or .wasm.gz file".into(),
            Self::Pattern { source, .. } => format!("not a pattern: {source}"),
            Self::List(reason) => (*reason).into(),
            Self::NoFile(_) => "a pipe, a socket or a device: name it to have it read".into(),
            Self::TooLarge(_) => format!("larger than {MODULE_MAX}"),
            // Some messages of the parser have several lines.
            Self::Facts { source, .. } => source.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}
