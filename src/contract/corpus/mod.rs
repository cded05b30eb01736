//! Contracts from anywhere: files, folders, globs and lists, one after the other, plain or compressed.

mod error;
mod list;
mod pattern;
mod read;
mod walk;

pub use error::CorpusError;
pub use read::{MODULE_MAX, read_module};
pub use walk::{Found, Walk};
