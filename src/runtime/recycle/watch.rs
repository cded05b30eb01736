//! Memory that is write-protected until somebody writes to it.
#![expect(unsafe_code, reason = "protection of raw mappings is changed")]

use std::io;
use std::ops::Range;
use std::ptr::NonNull;

use nix::sys::mman::{ProtFlags, mprotect};

use super::error::RecycleError;
use super::spans::Spans;
use super::table::Entry;
use crate::units::Bytes;

const OPEN: ProtFlags = ProtFlags::PROT_READ.union(ProtFlags::PROT_WRITE);

/// A slot's right to be tracked. It ends with the slot.
#[derive(Debug)]
pub(super) struct Watch(&'static Entry);

impl Watch {
    /// For the slot that starts here; `None` where the table has no place for it.
    pub(super) fn claim(start: NonNull<u8>) -> Option<Self> {
        Entry::claim(start.as_ptr().expose_provenance()).map(Self)
    }

    pub(super) fn spans(&self) -> Spans {
        self.0.spans()
    }

    /// The spans that may have been written to.
    pub(super) fn opened(&self) -> u32 {
        self.0.opened()
    }

    /// Protects this many bytes from the start on, all open so far: one `mprotect`. Where the kernel refuses, all is open.
    ///
    /// # Safety
    /// They are the slot's, can be read and written, and nobody uses them.
    pub(super) unsafe fn protect(&mut self, length: usize) -> io::Result<()> {
        self.0.track(length);
        // Should only a part of it be protected, then `unprotect` knows of all.
        self.0.note(u32::MAX);
        // SAFETY: the caller's promises.
        unsafe { self.protect_again() }
    }

    /// Protects what was opened: one `mprotect` from the first such span to the last, none where none was. Where the kernel refuses,
    /// all is open.
    ///
    /// # Safety
    /// Nobody uses the slot.
    pub(super) unsafe fn protect_again(&mut self) -> io::Result<()> {
        let bytes = self.spans().around(self.opened());
        // SAFETY: the spans lie in the slot, and the caller's promise.
        let done = unsafe { change(self.0, bytes, ProtFlags::PROT_READ) };
        match done {
            Ok(()) => self.0.track(self.spans().length()),
            // SAFETY: as above.
            Err(_) => unsafe { self.unprotect()? },
        }
        done
    }

    /// Opens all for the tenant that is in it, as if it had written everywhere: one `mprotect`.
    pub(super) fn open_all(&self) -> io::Result<()> {
        open_all(self.0)
    }

    /// Opens all, and tracks nothing until it is protected again: at most one `mprotect`.
    ///
    /// # Safety
    /// Nobody uses the slot.
    pub(super) unsafe fn unprotect(&mut self) -> io::Result<()> {
        // SAFETY: the spans lie in the slot, and the caller's promise.
        unsafe { change(self.0, 0..self.spans().length(), OPEN) }?;
        self.0.track(0);
        Ok(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Opens the span with this address for writing, and those that [`Spans::at_write`] adds, and notes them: one `mprotect`. Whether it lies
/// in a span.
///
/// It may run in a signal handler.
///
/// # Errors
/// The kernel does not even open the whole memory.
pub(super) fn open_at(address: usize) -> io::Result<bool> {
    let Some((entry, offset)) = Entry::of(address) else { return Ok(false) };
    open_spans(entry, entry.spans().at_write(offset, entry.opened())).map(|()| true)
}

/// Opens a range of a recycled memory, so that the kernel may write to it; elsewhere it does nothing.
///
/// Where the kernel itself writes, as `read(2)` does, nothing faults in the program: the call fails with `EFAULT` if it meets a span of a
/// tracked memory that nobody wrote to yet. Open the buffer right before such a call. What is opened is wiped after the tenant like what
/// is written, by whole spans.
///
/// # Errors
/// The kernel refuses to change the protection.
pub fn open(buffer: &mut [u8]) -> Result<(), RecycleError> {
    let length = buffer.len();
    let Some((entry, offset)) = Entry::of(buffer.as_ptr().addr()).filter(|_| length > 0) else { return Ok(()) };
    open_spans(entry, entry.spans().with(offset..offset + length)).map_err(|source| RecycleError::Kernel {
        action: "open for writing",
        length: Bytes(length as u64),
        source,
    })
}

/// Notes and opens all that is tracked: it needs no mapping more than there are, which is what the kernel runs out of.
fn open_all(entry: &Entry) -> io::Result<()> {
    entry.note(u32::MAX);
    // SAFETY: the spans lie in a slot that is mapped, since somebody has it, and all that is tracked may be written.
    unsafe { change(entry, 0..entry.spans().length(), OPEN) }
}

/// Noted first, so that no span is ever open without. Whatever fails, opening everything is the way out.
fn open_spans(entry: &Entry, opened: u32) -> io::Result<()> {
    let spans = entry.spans();
    entry.note(opened);
    // SAFETY: the spans lie in a slot that is mapped, since somebody uses an address in it, and all that is tracked may be written.
    unsafe { change(entry, spans.around(opened), OPEN) }.or_else(|_| open_all(entry))
}

/// # Safety
/// The bytes lie in the entry's slot, which is mapped, and whoever uses them can do with the new protection.
unsafe fn change(entry: &Entry, bytes: Range<usize>, protection: ProtFlags) -> io::Result<()> {
    let start = std::ptr::with_exposed_provenance_mut(entry.start() + bytes.start);
    let Some(start) = NonNull::new(start).filter(|_| !bytes.is_empty()) else { return Ok(()) };
    // SAFETY: the caller's promises.
    unsafe { mprotect(start, bytes.len(), protection) }.map_err(Into::into)
}
