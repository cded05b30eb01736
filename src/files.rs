//! Files that appear whole or not at all. The lowest floor beside `units`: every module may use it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Writes `bytes` to `path` so that a reader sees the old content or the new one and never a part.
///
/// The bytes go to a temporary file in the same folder, reach the disk (`fsync`), and take the name by `rename`, which
/// POSIX makes atomic; then the folder is synced so that the name survives a power cut as well. Missing parent folders
/// are made. The permissions of a file that is replaced are kept; a new file is readable by all (0644). Where `path` is a link, what it
/// leads to is replaced; a device or a pipe is written to, since nothing may take its name.
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
    let target = if replace { followed(path)? } else { path.to_path_buf() };
    if replace && std::fs::metadata(&target).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return std::fs::write(&target, bytes);
    }
    let path = target.as_path();
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder: name a file"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    set_permissions(&file, path)?;
    file.as_file().sync_all()?;
    if replace { file.persist(path) } else { file.persist_noclobber(path) }.map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Finds out whether a file can have this name as far as names go, before anything is made for it.
///
/// # Errors
///
/// What stands in its way: a folder of that name, or a file where a folder would be.
pub fn check_place(file: &Path) -> Result<(), String> {
    if file.is_dir() {
        return Err(format!("{} is a folder: name a file", file.display()));
    }
    match file.ancestors().skip(1).find(|above| above.exists()) {
        Some(above) if !above.is_dir() => {
            Err(format!("{} cannot be made: {} is a file", file.display(), above.display()))
        }
        _ => Ok(()),
    }
}

/// Makes a folder with those above it; one that is there is left as it is.
///
/// # Errors
///
/// Any failure of the file system, and [`io::ErrorKind::NotADirectory`] where a file has the name of the folder or of one above it.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    match std::fs::create_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(io::Error::new(io::ErrorKind::NotADirectory, "it is a file: name a folder"))
        }
        done => done,
    }
}

/// Whether a failure is due to a path that names a folder for a file, or a file for a folder.
#[must_use]
pub fn is_other_kind(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory)
}

/// Where a link leads, or the path itself. What it leads to need not be there yet.
fn followed(path: &Path) -> io::Result<PathBuf> {
    const MOST: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links lead on from here"))
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

#[cfg(all(test, unix))]
mod links {
    use super::*;

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, dangling] = ["file", "link", "dangling"].map(|name| folder.path().join(name));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        std::os::unix::fs::symlink("later", &dangling).unwrap();
        write_whole(&link, b"new").unwrap();
        write_whole(&dangling, b"late").unwrap();
        assert!(link.is_symlink() && dangling.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!(std::fs::read(folder.path().join("later")).unwrap(), b"late");
        std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
        assert!(write_whole(&folder.path().join("loop"), b"").is_err());
    }

    #[test]
    fn a_device_keeps_its_name() {
        use std::os::unix::fs::FileTypeExt as _;
        write_whole(Path::new("/dev/null"), b"gone").unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
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
