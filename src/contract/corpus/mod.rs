//! Contracts from anywhere: files, folders, globs and lists, one after the other, plain or compressed.

mod error;
mod list;
mod pattern;
mod read;
mod walk;

pub use error::{CorpusError, MODULE_MAX};
pub use read::{read_module, read_module_into};
pub use walk::{Found, Walk};
