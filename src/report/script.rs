//! The script of pages, which stands in them and is the only one that they let run.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// Sorts and filters tables and gives them as CSV; they read the same without it.
pub const TABLE: &str = concat!(include_str!("assets/table.js"), include_str!("assets/download.js"));

/// What lets [`TABLE`] run and no other script: a source of a content security policy by its hash
/// ([CSP 3](https://www.w3.org/TR/CSP3/#grammardef-hash-source)).
#[must_use]
pub fn source() -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(TABLE)))
}
