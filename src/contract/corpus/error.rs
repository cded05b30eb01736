use std::io;
use std::path::PathBuf;

use super::read::MODULE_MAX;
use crate::contract::FactsError;

/// Why a path leads to no contract.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// Nothing has that name.
    #[error("no file or folder {}, and no pattern that finds one", .0.display())]
    Nothing(PathBuf),
    /// A folder without modules.
    #[error("no .wasm or .wasm.gz file in {}", .0.display())]
    Empty(PathBuf),
    /// A pattern that cannot be read.
    #[error("`{pattern}` is not a pattern: {source}")]
    Pattern {
        /// As given.
        pattern: String,
        /// What is wrong with it.
        source: glob::PatternError,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// More bytes than any contract has, perhaps only once they are decompressed.
    #[error("{} is larger than {MODULE_MAX}, the most that is read as one contract", .0.display())]
    TooLarge(PathBuf),
    /// The file is no module.
    #[error("{}: {source}", path.display())]
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
        matches!(self, Self::Nothing(_) | Self::Empty(_) | Self::Pattern { .. })
    }

    /// The file, folder or pattern.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Pattern { pattern, .. } => pattern.clone(),
            Self::Nothing(path)
            | Self::Empty(path)
            | Self::TooLarge(path)
            | Self::Io { path, .. }
            | Self::Facts { path, .. } => path.display().to_string(),
        }
    }

    /// What is wrong without the path, for tables that name it in another column.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Io { source, .. } => format!("cannot be read: {source}"),
            Self::TooLarge(_) => format!("larger than {MODULE_MAX}"),
            // Some messages of the parser have several lines.
            Self::Facts { source, .. } => source.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
            other => other.to_string(),
        }
    }
}
