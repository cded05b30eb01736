//! Compiled modules kept by what they were made of.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::contract::module::artifact::sha256_hex;

/// Changes when the contents of entries change their meaning.
const GENERATION: &str = "estimator-module-2";

const DIGEST: usize = 32;

/// What one module is made of, as a file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key(String);

impl Key {
    /// The key of a module made of a source by a command of a compiler.
    pub(super) fn new(source: &str, command: &str, compiler: &str) -> Self {
        // Lengths first, so that no two different triples are one text.
        let parts = [GENERATION, source, command, compiler].map(|part| format!("{}:{part}", part.len()));
        Self(sha256_hex(parts.concat().as_bytes()))
    }
}

/// A folder of modules, each behind the digest of its bytes.
#[derive(Debug)]
pub(super) struct Cache<'a> {
    pub(super) folder: &'a Path,
}

impl<'a> Cache<'a> {
    pub(super) const fn new(folder: &'a Path) -> Self {
        Self { folder }
    }

    fn file(&self, key: &Key) -> PathBuf {
        self.folder.join(&key.0)
    }

    /// The module, unless it is missing, unreadable or damaged: then it is simply made again.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let mut entry = fs::read(self.file(key)).ok()?;
        let module = entry.get(DIGEST..)?;
        if Sha256::digest(module).as_slice() != &entry[..DIGEST] {
            return None;
        }
        entry.drain(..DIGEST);
        Some(entry)
    }

    /// Keeps a module; the entry appears whole or not at all.
    pub(super) fn put(&self, key: &Key, module: &[u8]) -> io::Result<()> {
        fs::create_dir_all(self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(self.folder)?;
        file.write_all(&Sha256::digest(module))?;
        file.write_all(module)?;
        file.persist(self.file(key)).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_entry_counts_as_missing() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let key = Key::new("source", "command", "compiler");
        assert_eq!(cache.get(&key), None);
        cache.put(&key, b"module").unwrap();
        assert_eq!(cache.get(&key).as_deref(), Some(b"module".as_slice()));
        for damage in [b"".as_slice(), b"short", &[0; 40]] {
            fs::write(cache.file(&key), damage).unwrap();
            assert_eq!(cache.get(&key), None);
        }
    }

    #[test]
    fn each_part_makes_another_key() {
        let key = Key::new("ab", "c", "d");
        for other in [Key::new("a", "bc", "d"), Key::new("ab", "cd", ""), Key::new("ab", "c", "e")] {
            assert_ne!(key, other);
        }
    }
}
