//! A compiled variant, and the identity of a set of them.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::facts::ModuleFacts;
use crate::units::{Bytes, Pages};

/// A module that can be measured: checked, with its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The contract that it belongs to.
    pub contract: String,
    /// Unique in the contract.
    pub variant: String,
    /// The exported function `(start: i32, length: i32)` that writes one byte per host page of that range.
    pub entry: String,
    /// Declared pages, as read back from the module.
    pub initial_pages: Pages,
    /// Initial stack pointer, as read back from the module; 0 if it has none.
    pub stack_bytes: Bytes,
    /// The ranges to touch, each from address 0. Where one is above the initial pages, the entry grows the memory.
    pub touched_pages: Vec<Pages>,
    /// What the module declares.
    pub facts: ModuleFacts,
    /// SHA-256 of the module, in lower-case hex.
    pub sha256: String,
    /// The module.
    pub wasm: Vec<u8>,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// What made a module. Both are absent for modules that were given ready or translated from text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The compiler, such as `rustc 1.95.0 (59807616e 2026-04-14)`.
    pub compiler: Option<String>,
    /// The command line, with a relative name for the source.
    pub command: Option<String>,
}

/// SHA-256 in lower-case hex.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a `String` cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// The identity of what is measured: 16 hex digits over the names, entries, touched pages and bytes of all modules, whatever
/// their order. Two runs measured the same contracts if and, short of a collision, only if theirs are equal.
#[must_use]
pub fn contract_set_hash(artifacts: &[Artifact]) -> String {
    let mut lines: Vec<String> = artifacts
        .iter()
        .map(|a| format!("{:?} {:?} {:?} {:?} {}\n", a.contract, a.variant, a.entry, a.touched_pages, a.sha256))
        .collect();
    lines.sort_unstable();
    sha256_hex(lines.concat().as_bytes())[..16].to_owned()
}
