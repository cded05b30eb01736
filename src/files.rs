//! Files that appear whole or not at all. The lowest floor beside `units`: every module may use it.

use std::io::{self, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes `bytes` to `path` so that a reader sees the old content or the new one and never a part.
///
/// The bytes go to a temporary file in the same folder, reach the disk (`fsync`), and take the name by `rename`, which
/// POSIX makes atomic; then the folder is synced so that the name survives a power cut as well. Missing parent folders
/// are made. The permissions of a file that is replaced are kept; a new file is readable by all (0644).
///
/// # Errors
///
/// Any failure of the file system, of its own [`io::ErrorKind`], with a message that names the path. Nothing then
/// remains under the final name that was not there before.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, true).map_err(|error| named(path, &error))
}

/// The same for a file that must not be there yet.
///
/// # Errors
///
/// As [`write_whole`], and [`io::ErrorKind::AlreadyExists`].
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, false).map_err(|error| named(path, &error))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write `{}`: {error}", path.display()))
}

fn write(path: &Path, bytes: &[u8], replace: bool) -> io::Result<()> {
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    set_permissions(&file, path)?;
    file.as_file().sync_all()?;
    if replace { file.persist(path) } else { file.persist_noclobber(path) }.map_err(|error| error.error)?;
    sync_folder(folder)
}

#[cfg(unix)]
fn set_permissions(file: &NamedTempFile, replaced: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = match std::fs::metadata(replaced) {
        Ok(metadata) => metadata.permissions(),
        Err(_) => std::fs::Permissions::from_mode(0o644),
    };
    file.as_file().set_permissions(permissions)
}

#[cfg(not(unix))]
fn set_permissions(_: &NamedTempFile, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes the names in a folder reach the disk.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0001.toml");
        write_new(&path, b"first").unwrap();
        assert_eq!(write_new(&path, b"second").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"first");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn makes_folders_replaces_whole_and_leaves_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/file.toml");
        write_whole(&path, b"first, and longer").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_names_the_path_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        std::fs::create_dir(&path).unwrap();
        let error = write_whole(&path, b"x").unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_whole(&folder.path().join(".."), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_or_usual() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        write_whole(&path, b"x").unwrap();
        assert_eq!(mode(), 0o644);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        write_whole(&path, b"y").unwrap();
        assert_eq!(mode(), 0o600);
    }
}
