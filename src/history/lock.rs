//! One job at a time.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use super::error::HistoryError;

/// A lock that its process holds. The kernel frees it when the process ends, however it ends, so a lock file that lies
/// about is no lock; what stands in it names the holder, and tells that the one before was killed.
#[derive(Debug)]
pub struct Lock {
    file: File,
    /// Who held it and did not give it back.
    pub stale: Option<String>,
}

impl Lock {
    /// Takes the lock, in the name of `holder`.
    ///
    /// # Errors
    /// [`HistoryError::Locked`] with the holder if another process has it; the file cannot be made or written.
    pub fn take(path: &Path, holder: &str) -> Result<Self, HistoryError> {
        let failed = |action| move |source| HistoryError::File { action, file: path.into(), source };
        if let Some(folder) = path.parent() {
            crate::files::make_folder(folder).map_err(failed("make the folder of"))?;
        }
        let options = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(failed("make"))?;
        let mut before = String::new();
        let taken = file.try_lock();
        file.read_to_string(&mut before).map_err(failed("read"))?;
        let before = before.trim().to_owned();
        match taken {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(HistoryError::Locked { file: path.into(), holder: before });
            }
            Err(TryLockError::Error(source)) => return Err(failed("lock")(source)),
        }
        let lock = Self { file, stale: Some(before).filter(|before| !before.is_empty()) };
        // The lock holds whatever stands in it: a full disk is no reason to leave a night out.
        let _ = lock.write(holder);
        Ok(lock)
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(text.as_bytes())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // An empty file says that the lock was given back. The file stays: removing it would let two others lock two files.
        let _ = self.write("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path, "pid 1").unwrap();
        assert_eq!(first.stale, None);
        let refused = Lock::take(&path, "pid 2").unwrap_err();
        assert!(refused.to_string().contains("pid 1"), "{refused}");
        drop(first);
        assert_eq!(Lock::take(&path, "pid 3").unwrap().stale, None);
    }

    #[test]
    fn a_holder_that_was_killed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        std::fs::write(&path, "pid 7 since monday").unwrap();
        assert_eq!(Lock::take(&path, "pid 8").unwrap().stale.as_deref(), Some("pid 7 since monday"));
    }
}
