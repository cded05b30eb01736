//! Memory of a process that no call uses, and files that are mapped into it.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use nix::sys::mman::{MapFlags, ProtFlags, mmap, mmap_anonymous, mprotect, munmap};

use crate::experiment::node::{MAPPINGS, PAGE_TABLES, RESERVED, RESIDENT};
use crate::experiment::{Factor, Levels};
use crate::units::HOST_PAGE_SIZE;

/// What one page table reaches: as many host pages as fit addresses of eight bytes into one.
const TABLE_REACH: usize = HOST_PAGE_SIZE / 8 * HOST_PAGE_SIZE;

/// A mapping that goes with this value.
#[derive(Debug)]
pub(super) struct Mapping {
    start: NonNull<c_void>,
    length: NonZeroUsize,
    /// Whether it is of a file, and can be read.
    is_file: bool,
}

/// The mappings that a process of these levels has.
///
/// # Errors
/// The kernel refuses one.
pub(super) fn mappings(levels: &Levels) -> io::Result<Vec<Mapping>> {
    let none = ProtFlags::PROT_NONE;
    let writable = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    let mut mappings = Vec::new();
    let mut map = |factor: &Factor, unit: usize, access: ProtFlags| -> io::Result<Option<usize>> {
        let length = usize::try_from(levels.get(factor)).ok().and_then(|level| level.checked_mul(unit));
        let Some(length) = NonZeroUsize::new(length.ok_or(io::ErrorKind::OutOfMemory)?) else { return Ok(None) };
        mappings.push(Mapping::new(length, access)?);
        Ok(Some(mappings.len() - 1))
    };
    let apart = map(&MAPPINGS, HOST_PAGE_SIZE, none)?;
    let resident = map(&RESIDENT, 1, writable)?;
    let tables = map(&PAGE_TABLES, TABLE_REACH, writable)?;
    map(&RESERVED, 1, none)?;
    if let Some(at) = apart {
        mappings[at].split()?;
    }
    for (at, stride) in [(resident, HOST_PAGE_SIZE), (tables, TABLE_REACH)] {
        if let Some(at) = at {
            mappings[at].write(stride);
        }
    }
    Ok(mappings)
}

impl Mapping {
    #[expect(unsafe_code, reason = "a raw mapping")]
    fn new(length: NonZeroUsize, access: ProtFlags) -> io::Result<Self> {
        let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
        // SAFETY: a fresh private mapping that nothing else knows of.
        let start = unsafe { mmap_anonymous(None, length, access, flags)? };
        Ok(Self { start, length, is_file: false })
    }

    /// A file's bytes, all of them, to be read alone. An empty file cannot be mapped.
    #[expect(unsafe_code, reason = "a raw mapping")]
    pub(super) fn of_file(file: &File) -> io::Result<Self> {
        let length = usize::try_from(file.metadata()?.len()).ok().and_then(NonZeroUsize::new);
        let length = length.ok_or(io::ErrorKind::InvalidInput)?;
        // SAFETY: a fresh private mapping that nothing else knows of.
        let start = unsafe { mmap(None, length, ProtFlags::PROT_READ, MapFlags::MAP_PRIVATE, file, 0)? };
        Ok(Self { start, length, is_file: true })
    }

    /// Its bytes; none of a mapping that is no file.
    #[expect(unsafe_code, reason = "a raw mapping")]
    pub(super) fn bytes(&self) -> &[u8] {
        if !self.is_file {
            return &[];
        }
        // SAFETY: mapped to be read, for as long as this value lives. Nobody else knows of the files that are mapped.
        unsafe { std::slice::from_raw_parts(self.start.cast::<u8>().as_ptr(), self.length.get()) }
    }

    /// Makes every second host page another mapping, which the kernel cannot merge with its neighbours.
    #[expect(unsafe_code, reason = "a raw mapping")]
    fn split(&self) -> io::Result<()> {
        for offset in (0..self.length.get()).step_by(2 * HOST_PAGE_SIZE) {
            // SAFETY: the page lies within the mapping, of which there are no references.
            unsafe { mprotect(self.start.byte_add(offset), HOST_PAGE_SIZE, ProtFlags::PROT_READ)? };
        }
        Ok(())
    }

    /// Writes a byte at each multiple of the stride.
    #[expect(unsafe_code, reason = "a raw mapping")]
    fn write(&self, stride: usize) {
        for offset in (0..self.length.get()).step_by(stride) {
            // SAFETY: within the mapping, which is writable and of which there are no references.
            unsafe { self.start.cast::<u8>().add(offset).write_volatile(1) };
        }
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code, reason = "a raw mapping")]
    fn drop(&mut self) {
        // SAFETY: mapped by `new` and unmapped once. Nothing can be done where it fails.
        let _ = unsafe { munmap(self.start, self.length.get()) };
    }
}
