//! What of a run's folder travels, and what tells a run from another of its name.

use std::fs::File;
use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::contract::sha256_hex;
use crate::units::Bytes;

/// What was measured, and for what: the same run has the same.
const MEASURED: [&str; 5] = ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"];

/// The files that are sent and taken, with the most that each may hold; all others follow from them. All but the samples are read
/// whole, and are far smaller.
pub(crate) const FILES: [(&str, Bytes); 8] = [
    ("run.toml", Bytes(4 << 20)),
    ("points.csv", Bytes(16 << 20)),
    ("samples.csv", Bytes(u64::MAX)),
    ("chain.toml", Bytes(1 << 20)),
    ("reference.toml", Bytes(1 << 20)),
    ("current.toml", Bytes(1 << 20)),
    ("workload.csv", Bytes(16 << 20)),
    ("night.json", Bytes(1 << 20)),
];

/// The file that tells a run that was received from one that was measured here.
pub(crate) const RECEIVED: &str = "received";

/// Whether a text can be the name of a run that is sent: it is that of a folder too, beside the history, its lock and the link
/// `latest`, of which none may be in its place.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    text.len() <= 100
        && text != "latest"
        && text.bytes().all(plain)
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// What tells the run in a folder from any other.
pub(super) fn identity(folder: &Path) -> io::Result<String> {
    let mut all = Vec::new();
    for name in MEASURED {
        let file = folder.join(name);
        if file.is_file() {
            all.push(format!("{name} {}\n", hash(&file)?));
        }
    }
    Ok(sha256_hex(all.concat().as_bytes()))
}

/// The hash of a file, however large it is, in hexadecimal.
pub(super) fn hash(file: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(file)?, &mut hash)?;
    Ok(format!("{:x}", hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_are_names_of_folders_in_one_place() {
        for name in ["run", "20261202T011534Z-seed1", "a_b-c", "0"] {
            assert!(is_name(name), "{name}");
        }
        // What lies in the same folder, or may.
        for name in ["latest", "history.sqlite", "history.sqlite.rebuilt", "history.lock", "trend.html"] {
            assert!(!is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "-flag", "a/b", "a\\b", "a b", "ä", "a\n", &"a".repeat(101)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
