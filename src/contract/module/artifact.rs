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
    // Hashes stand in runs and tables, so what is hashed keeps the spelling that it began with.
    let line = |a: &Artifact| {
        let touched: Vec<String> = a.touched_pages.iter().map(|pages| format!("Pages({})", pages.0)).collect();
        format!("{:?} {:?} {:?} [{}] {}\n", a.contract, a.variant, a.entry, touched.join(", "), a.sha256)
    };
    let mut lines: Vec<String> = artifacts.iter().map(line).collect();
    lines.sort_unstable();
    sha256_hex(lines.concat().as_bytes())[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_its_hash_from_version_to_version() {
        let artifact = |contract: &str, variant: &str, touched_pages: &[u32], sha256: &str| Artifact {
            contract: contract.into(),
            variant: variant.into(),
            entry: "touch".into(),
            initial_pages: Pages(1),
            stack_bytes: Bytes(0),
            touched_pages: touched_pages.iter().copied().map(Pages).collect(),
            facts: ModuleFacts::default(),
            sha256: sha256.into(),
            wasm: Vec::new(),
            provenance: Provenance::default(),
        };
        let set = [artifact("b", "v", &[2], "ab"), artifact("a", "v\"", &[1, 17], "cd")];
        assert_eq!(contract_set_hash(&set), "2778d5104535a1e9");
    }
}
