//! What can go wrong with contracts, and what kind of trouble it is.

use std::io;
use std::path::{Path, PathBuf};

use super::module::facts::FactsError;
use super::module::foreign::Foreign;
use super::source::toolchain::MissingToolchain;
use crate::files::is_other_kind;
use crate::units::Pages;
use crate::versioned::VersionedError;

/// The kinds of trouble that callers answer differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The work was tried and failed: a file, a source, a module or a tool is at fault.
    Failed,
    /// What was asked for makes no sense: no such folder, no contract in it, an output folder in use.
    Usage,
    /// A file of a newer format than this program knows.
    Incompatible,
}

/// Why contracts cannot be read, compiled, written or read back.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// There is no such folder.
    #[error("no folder {}: name a folder of contracts, or leave it out to use the built-in contract", .0.display())]
    NoFolder(PathBuf),
    /// The folder holds nothing that is a contract.
    #[error(
        "no contract in {}: it needs folders with a contract.toml, ready .wasm files, or to be written by `estimator compile --out`",
        .0.display()
    )]
    NoContract(PathBuf),
    /// The name of a contract is unfit for file names and tables.
    #[error("{}: a contract's name has only ASCII letters, digits, `-`, `_` and `.`, and begins with none but a letter or digit", .0.display())]
    Name(PathBuf),
    /// Two contracts have one name.
    #[error("two contracts are named `{0}`: rename the folder or the .wasm file")]
    SameName(String),
    /// A manifest or a list of artifacts breaks its format, or is of another.
    #[error(transparent)]
    Format(#[from] VersionedError),
    /// A contract stands in for one that stands in for another, so that both might be left out.
    #[error(
        "contract `{contract}` stands in for `{other}`, which is a stand-in itself: name the contract that both replace"
    )]
    StandInChain {
        /// The contract.
        contract: String,
        /// What it stands in for.
        other: String,
    },
    /// A source is a file of another kind.
    #[error("{contract}: {} is no source but {}: {}", path.display(), foreign.what, foreign.way_out)]
    Source {
        /// The contract.
        contract: String,
        /// The file.
        path: PathBuf,
        /// What it is.
        foreign: Foreign,
    },
    /// The compiler or the linker refused a source.
    #[error("{contract}/{variant} does not compile\n{output}")]
    Compile {
        /// The contract.
        contract: String,
        /// The variant.
        variant: String,
        /// What the compiler wrote, unchanged.
        output: String,
    },
    /// A module has no readable facts.
    #[error("{contract}/{variant}: {source}")]
    Facts {
        /// The contract.
        contract: String,
        /// The variant, or the file name of a ready module.
        variant: String,
        /// Why.
        source: FactsError,
    },
    /// A module came out other than asked.
    #[error("{contract}/{variant}: asked for {what} of {asked}, but the module has {found}")]
    Mismatch {
        /// The contract.
        contract: String,
        /// The variant.
        variant: String,
        /// The fact.
        what: &'static str,
        /// What the variant says.
        asked: String,
        /// What the module says.
        found: String,
    },
    /// A module cannot be measured as a contract.
    #[error("{contract}/{variant}: {reason}")]
    Unfit {
        /// The contract.
        contract: String,
        /// The variant.
        variant: String,
        /// What is missing or too much, and the way out.
        reason: String,
    },
    /// Rust contracts were required and cannot be compiled.
    #[error("contract `{contract}` cannot be compiled: {source}")]
    Toolchain {
        /// The first contract that needs it.
        contract: String,
        /// What is missing, with the command that mends it.
        source: MissingToolchain,
    },
    /// Every contract needs a toolchain that is missing.
    #[error("nothing is left to measure, since no contract can be compiled: {0}")]
    NothingCompiles(MissingToolchain),
    /// Nothing in a folder is within the limits.
    #[error(
        "{}: nothing in it is within the chain's limit of {limit}: add smaller levels, or raise initial_pages_max in the chain file",
        folder.display()
    )]
    NothingAllowed {
        /// The folder.
        folder: PathBuf,
        /// The most initial pages.
        limit: Pages,
    },
    /// The folder for artifacts holds something else.
    #[error("{} is not empty and not a folder of artifacts ({reason}): name another folder", path.display())]
    ForeignFolder {
        /// The folder.
        path: PathBuf,
        /// What was found in it.
        reason: String,
    },
    /// A file of an artifact folder was changed or damaged.
    #[error("{}: {reason}; write the folder again with `estimator compile --out`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not agree.
        reason: String,
    },
}

impl ContractError {
    /// The kind of trouble, from which an exit code follows.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { source, .. } if is_other_kind(source) => ErrorKind::Usage,
            Self::NoFolder(_) | Self::NoContract(_) | Self::ForeignFolder { .. } => ErrorKind::Usage,
            Self::Format(error) if error.is_other_format() => ErrorKind::Incompatible,
            _ => ErrorKind::Failed,
        }
    }

    /// For `map_err`: adds what was tried and where to the system's answer.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}
