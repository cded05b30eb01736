//! What of a run's folder travels, and what tells a run from another of its name.

use std::fs;
use std::io;
use std::path::Path;

use crate::contract::sha256_hex;

/// What was measured, and for what: the same run has the same.
const MEASURED: [&str; 5] = ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"];

/// The files that are sent and taken; all others follow from them.
pub(crate) const FILES: [&str; 8] = [
    "run.toml",
    "points.csv",
    "samples.csv",
    "chain.toml",
    "reference.toml",
    "current.toml",
    "workload.csv",
    "night.json",
];

/// Whether a text can be the name of a run: it is that of a folder too.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    text.len() <= 100
        && text.bytes().all(plain)
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// What tells the run in a folder from any other.
pub(super) fn identity(folder: &Path) -> io::Result<String> {
    let mut all = Vec::new();
    for name in MEASURED {
        let file = folder.join(name);
        if file.is_file() {
            all.push(format!("{name} {}\n", sha256_hex(&fs::read(file)?)));
        }
    }
    Ok(sha256_hex(all.concat().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_are_names_of_folders_in_one_place() {
        for name in ["run", "20261202T011534Z-seed1", "a.b_c-d", "0"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "-flag", "a/b", "a\\b", "a b", "ä", "a\n", &"a".repeat(101)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
