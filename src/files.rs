//! Files that appear whole or not at all. The lowest floor beside `units`: every module may use it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Whether something has this name, be it a file or not, and a link whether it leads anywhere or not: what stands in the place of a file
/// that is looked for is to be read or refused, never passed over.
#[must_use]
pub fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Writes `bytes` to `path` so that a reader sees the old content or the new one and never a part.
///
/// The bytes go to a temporary file in the same folder, reach the disk (`fsync`), and take the name by `rename`, which
/// POSIX makes atomic; then the folder is synced so that the name survives a power cut as well. Missing parent folders
/// are made. The permissions of a file that is replaced are kept; a new file is readable by all (0644). Where `path` is a link, what it
/// leads to is replaced; a device or a pipe is written to, since nothing may take its name. So is a file whose name cannot be
/// taken, because it is mounted into a container or its folder cannot be written; it has what was in it before if that fails.
///
/// # Errors
///
/// Any failure of the file system, of its own [`io::ErrorKind`], with a message that names the path. Nothing then
/// remains under the final name that was not there before.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Staged::over(path, bytes)?.publish()
}

/// A file whose bytes are on the disk and that does not have its name yet. What is to appear together is staged first, so that a full
/// disk or a missing permission is met before anything appears. Dropped, it leaves nothing.
#[derive(Debug)]
#[must_use]
pub struct Staged {
    path: PathBuf,
    target: PathBuf,
    bytes: Vec<u8>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// Beside the target, whose name it takes, from another file if there is one.
    Over(NamedTempFile),
    /// The same, with a name that is free.
    New(NamedTempFile),
    /// Nowhere: the bytes go into what is there.
    Inside,
}

impl Staged {
    /// Stages what [`write_whole`] writes.
    ///
    /// # Errors
    ///
    /// As [`write_whole`].
    pub fn over(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let stage = || {
            let target = followed(path)?;
            if target.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder: name a file"));
            }
            let place = match std::fs::metadata(&target) {
                Ok(found) if !found.is_file() && !found.is_dir() => Place::Inside,
                Ok(found) => match sibling(&target, bytes) {
                    // The folder takes no other file; whether this one takes other bytes is found out now.
                    Err(error) if found.is_file() && is_refusal(&error) => {
                        File::options().write(true).open(&target).map_err(|_| error)?;
                        Place::Inside
                    }
                    staged => Place::Over(staged?),
                },
                Err(_) => Place::Over(sibling(&target, bytes)?),
            };
            Ok(Self { path: path.into(), target, bytes: bytes.into(), place })
        };
        stage().map_err(|error: io::Error| named(path, &error))
    }

    /// Stages a file that must not be there yet.
    ///
    /// # Errors
    ///
    /// As [`write_whole`].
    pub fn new(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let file = sibling(path, bytes).map_err(|error| named(path, &error))?;
        Ok(Self { path: path.into(), target: path.into(), bytes: bytes.into(), place: Place::New(file) })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    ///
    /// As [`write_whole`], and [`io::ErrorKind::AlreadyExists`] if a new file is there by now.
    pub fn publish(self) -> io::Result<()> {
        let Self { path, target, bytes, place } = self;
        let synced = || sync_folder(folder_of(&target));
        let done = match place {
            Place::Inside => overwrite(&target, &bytes),
            Place::New(file) => match file.persist_noclobber(&target) {
                // A name that a power cut may take away is not given.
                Ok(_) => synced().inspect_err(|_| _ = std::fs::remove_file(&target)),
                Err(refused) => Err(refused.error),
            },
            Place::Over(file) => match file.persist(&target) {
                Ok(_) => synced(),
                // The staged file lies beside until the other is whole.
                Err(refused) if is_refusal(&refused.error) && target.is_file() => overwrite(&target, &bytes),
                Err(refused) => Err(refused.error),
            },
        };
        done.map_err(|error| named(&path, &error))
    }
}

/// Whether a name cannot be taken, whatever the file would be: it is a mount point (`EBUSY`), on another file system (`EXDEV`), or
/// its folder may not be written.
fn is_refusal(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), ResourceBusy | CrossesDevices | PermissionDenied | ReadOnlyFilesystem)
}

/// A temporary file beside `target`, with its permissions, on the disk.
fn sibling(target: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    if target.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    }
    let folder = folder_of(target);
    make_folder(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    set_permissions(&file, target)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Writes into a file or device that keeps its name. A file that cannot take all of it gets back what it had.
fn overwrite(target: &Path, bytes: &[u8]) -> io::Result<()> {
    if !target.is_file() {
        return std::fs::write(target, bytes);
    }
    let mut file = File::options().read(true).write(true).open(target)?;
    let mut old = Vec::new();
    file.read_to_end(&mut old)?;
    let written = put(&mut file, old.len(), bytes).and_then(|()| {
        let same = std::fs::read(target)? == bytes;
        same.then_some(()).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it does not read back as written"))
    });
    written.inspect_err(|_| {
        // The failure is told in any case. No more room is needed than the file had.
        let _ = put(&mut file, old.len(), &old);
    })
}

/// Makes `bytes` all that the file holds, which had `present` bytes.
///
/// One call writes them, with line ends up to the old length, so that a kill leaves the old text, or the new one and blank lines.
fn put(file: &mut File, present: usize, bytes: &[u8]) -> io::Result<()> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().max(present), b'\n');
    reserve(file, padded.len())?;
    file.rewind()?;
    file.write_all(&padded)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Makes sure that there is room, as long as the file is as it was.
#[cfg(target_os = "linux")]
fn reserve(file: &File, length: usize) -> io::Result<()> {
    use nix::errno::Errno;
    use nix::fcntl::{FallocateFlags, fallocate};
    let length = length.try_into().map_err(io::Error::other)?;
    match fallocate(file, FallocateFlags::FALLOC_FL_KEEP_SIZE, 0, length) {
        // Nothing to reserve, or a file system that cannot: writing will tell.
        Err(Errno::EOPNOTSUPP | Errno::ENOSYS | Errno::EINVAL) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: usize) -> io::Result<()> {
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write `{}`: {error}", path.display()))
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
    File::open(folder)?.sync_all()
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
    fn what_is_staged_and_dropped_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        drop(Staged::new(&path, b"new").unwrap());
        std::fs::write(&path, "old").unwrap();
        drop(Staged::over(&path, b"new").unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_written_in_its_place_whatever_the_lengths() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (old, new) in [("", "new"), ("old", ""), ("old", "longer"), ("longer", "new"), ("old", "new")] {
            std::fs::write(&path, old).unwrap();
            overwrite(&path, new.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), new);
        }
    }

    #[test]
    fn a_new_file_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0001.toml");
        Staged::new(&path, b"first").unwrap().publish().unwrap();
        let second = Staged::new(&path, b"second").unwrap();
        assert_eq!(second.publish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
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
