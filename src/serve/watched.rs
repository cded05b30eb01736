//! Files that may change while the service runs.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What tells that a file is not the one that was read: its place on the disk, its length and when it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    /// File system and place in it.
    pub(super) place: (u64, u64),
    length: u64,
    changed: (i64, i64),
}

impl Stamp {
    /// Of what is there now; `None` if nothing is.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self {
            place: (found.dev(), found.ino()),
            length: found.len(),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_of_the_same_name_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        assert_eq!(Stamp::of(&file), None);
        fs::write(&file, "one").unwrap();
        let first = Stamp::of(&file);
        assert!(first.is_some() && first == Stamp::of(&file));
        fs::write(folder.path().join("new"), "two").unwrap();
        fs::rename(folder.path().join("new"), &file).unwrap();
        assert_ne!(Stamp::of(&file), first);
    }
}
