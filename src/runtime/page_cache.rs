//! Files that are taken out of the page cache.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;

use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use nix::libc;
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

use crate::units::HOST_PAGE_SIZE;

/// Has the kernel drop the pages of a file that nobody has mapped and that was written to its disk, and makes sure that they are gone.
pub(super) fn forget(file: &File) -> io::Result<()> {
    /// A page that somebody is about to read or write stays for the moment.
    const ATTEMPTS: usize = 10;
    let mut pages = 0;
    for _ in 0..ATTEMPTS {
        posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED)?;
        pages = resident(file)?;
        if pages == 0 {
            return Ok(());
        }
    }
    Err(io::Error::other(format!(
        "{pages} pages of the file stay in memory: the folder for temporary files is not on a disk; name one that is: TMPDIR"
    )))
}

/// Reads all of a file, as whoever needs all of it does.
pub(super) fn read(file: &File) -> io::Result<()> {
    let mut buffer = [0; 16 << 10];
    let mut at = 0;
    loop {
        match file.read_at(&mut buffer, at)? {
            0 => return Ok(()),
            read => at += read as u64,
        }
    }
}

/// How many pages of a file are in the page cache.
fn resident(file: &File) -> io::Result<usize> {
    let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    let Some(size) = NonZeroUsize::new(length) else { return Ok(0) };
    let mut pages = vec![0_u8; length.div_ceil(HOST_PAGE_SIZE)];
    // SAFETY: a mapping of its own that nothing is read from, of the length that `mincore` is told, with a byte for each page of it.
    #[expect(unsafe_code, reason = "nix has no mincore")]
    let result = unsafe {
        let map = mmap(None, size, ProtFlags::PROT_READ, MapFlags::MAP_SHARED, file, 0)?;
        let result = libc::mincore(map.as_ptr(), length, pages.as_mut_ptr());
        let error = io::Error::last_os_error();
        munmap(map, length)?;
        if result == 0 { Ok(()) } else { Err(error) }
    };
    result.map(|()| pages.iter().filter(|page| **page & 1 == 1).count())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};

    use super::*;

    /// Where temporary files lie in memory nothing can be dropped, and that is said.
    #[test]
    fn what_was_dropped_is_not_resident_and_what_was_read_is() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 3 * HOST_PAGE_SIZE]).unwrap();
        file.sync_all().unwrap();
        assert_eq!(resident(&file).unwrap(), 3);
        let is_in_memory = fstatfs(&file).unwrap().filesystem_type() == TMPFS_MAGIC;
        match forget(&file) {
            Ok(()) => assert!(!is_in_memory && resident(&file).unwrap() == 0),
            Err(error) => assert!(is_in_memory && error.to_string().contains("TMPDIR"), "{error}"),
        }
        read(&file).unwrap();
        assert_eq!(resident(&file).unwrap(), 3);
    }
}
