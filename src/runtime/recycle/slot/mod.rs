//! Address space for one memory, mapped once and used by one tenant after the other.
#![expect(unsafe_code, reason = "a slot is a raw mapping")]

#[cfg(test)]
mod tests;

use std::io;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use nix::errno::Errno;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};

use super::error::RecycleError;
use super::handler;
use super::spans::{HUGE_PAGE, Spans};
use super::watch::Watch;
use super::wipe::Wipe;
use crate::units::{Bytes, HOST_PAGE_SIZE};

/// Smallest memory that gets huge pages where they are asked for: it then holds at most four times what it needs.
const HUGE_FROM: usize = HUGE_PAGE / 4;

/// The address space of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// The most that a memory may grow to.
    pub(super) reservation: usize,
    /// Bytes behind it that are never accessible.
    pub(super) guard: usize,
}

/// A mapping in which one range can be read and written and the rest faults.
///
/// Between tenants every byte that was ever accessible is zero.
///
/// ```text
/// start          base                    end                        (all but `base` aligned to huge pages, if `huge`)
/// |---- lead ----|------ the memory -----|-- grows into this, then the guard --|
/// ```
///
/// Under huge pages a memory does not begin at a boundary but ends at one: behind its last byte nothing may be accessible, and the
/// kernel backs a huge page only if all of it is. The lead before it stays zero, and no Wasm address leads there.
///
/// A tracked slot is write-protected from the start to where its tenant's memory ended at first, in spans that writes open. What the
/// memory grows by is open.
#[derive(Debug)]
pub(super) struct Slot {
    /// First byte of the mapping as the kernel gave it.
    mapping: NonNull<u8>,
    mapped: NonZeroUsize,
    /// First boundary of a huge page in it.
    start: NonNull<u8>,
    huge: bool,
    /// Bytes from the start to the memory.
    lead: usize,
    /// Bytes from the start that can be read and written: the lead and the memory.
    open: usize,
    /// No byte that far behind the start, or further, holds a page: nobody had access to it since the last decommit.
    resident: usize,
    watch: Option<Watch>,
}

// SAFETY: a slot is the only owner of its mapping, and nothing in it is bound to a thread.
unsafe impl Send for Slot {}
// SAFETY: through a shared reference only sizes and an address can be read.
unsafe impl Sync for Slot {}

impl Slot {
    /// Reserves address space and makes a memory of `size` bytes usable.
    pub(super) fn map(layout: Layout, size: usize, huge: bool) -> Result<Self, RecycleError> {
        // One to reach a boundary, and one for the lead.
        let length = layout.reservation.checked_add(layout.guard).and_then(|length| length.checked_add(2 * HUGE_PAGE));
        let too_long = || kernel("reserve", usize::MAX, io::ErrorKind::OutOfMemory.into());
        let mapped = length.and_then(NonZeroUsize::new).ok_or_else(too_long)?;
        let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let mapping = unsafe { mmap_anonymous(None, mapped, ProtFlags::PROT_NONE, flags) }
            .map_err(|e| kernel("reserve", mapped.get(), e.into()))?
            .cast::<u8>();
        let to_boundary = mapping.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
        // SAFETY: the mapping is longer than this offset by the lead, the reservation and the guard.
        let start = unsafe { mapping.add(to_boundary) };
        let mut slot = Self { mapping, mapped, start, huge, lead: 0, open: 0, resident: 0, watch: None };
        if huge {
            let length = HUGE_PAGE + layout.reservation;
            // SAFETY: the range lies in the mapping, and the advice changes no byte.
            let advised = unsafe { madvise(start.cast(), length, MmapAdvise::MADV_HUGEPAGE) };
            // A kernel without them does not know the advice.
            advised.or_else(|e| {
                if e == Errno::EINVAL { Ok(()) } else { Err(kernel("back with huge pages", length, e.into())) }
            })?;
        }
        slot.fit(size)?;
        Ok(slot)
    }

    pub(super) const fn base(&self) -> *mut u8 {
        self.start.as_ptr().wrapping_add(self.lead)
    }

    /// How much of the memory can be read and written: all of it.
    pub(super) const fn accessible(&self) -> usize {
        self.open - self.lead
    }

    /// The most that a memory of `size` holds resident in such a slot until it grows.
    pub(super) const fn footprint(size: usize, huge: bool) -> usize {
        size + lead(size, huge)
    }

    /// The most that can be in physical memory while no tenant is in it.
    pub(super) const fn resident(&self) -> usize {
        self.resident
    }

    /// Takes note that a tenant had access to all that is accessible.
    pub(super) fn vacate(&mut self) {
        self.resident = self.resident.max(self.open);
    }

    /// Makes a memory of this size of it: no system call where the last one had the same, else one `mprotect`.
    ///
    /// There is no tenant in it, and `size` is at most the reservation of the layout that it was mapped with.
    pub(super) fn fit(&mut self, size: usize) -> Result<(), RecycleError> {
        let lead = lead(size, self.huge);
        if self.spans().length() != lead + size {
            self.untrack()?;
        }
        self.open_to(lead + size)?;
        self.lead = lead;
        Ok(())
    }

    /// Has the writes of the next tenant noted: no system call but a look at the signal handler where the last one's were, else one
    /// `mprotect`. Where that is not possible all of it is open, to be wiped whole, and the answer is no.
    ///
    /// The slot is on huge pages, and there is no tenant in it.
    pub(super) fn track(&mut self) -> Result<bool, RecycleError> {
        if !self.huge || self.open < HUGE_PAGE || !handler::is_on_top() {
            self.untrack()?;
            return Ok(false);
        }
        if self.spans().length() == self.open {
            return Ok(true);
        }
        self.watch = self.watch.take().or_else(|| Watch::claim(self.start));
        let Some(watch) = &mut self.watch else { return Ok(false) };
        // SAFETY: it is open that far, and there is no tenant in it.
        Ok(unsafe { watch.protect(self.open) }.is_ok())
    }

    /// Protects what the last tenant opened: one `mprotect`, none where it opened nothing. Where the kernel refuses, all is open.
    pub(super) fn protect_again(&mut self) {
        if let Some(watch) = &mut self.watch {
            // SAFETY: the tenant is gone.
            let _ = unsafe { watch.protect_again() };
        }
    }

    /// Opens what is protected: one `mprotect`, none where nothing is.
    pub(super) fn untrack(&mut self) -> Result<(), RecycleError> {
        let Some(watch) = &mut self.watch else { return Ok(()) };
        let length = watch.spans().length();
        // SAFETY: there is no tenant in it.
        unsafe { watch.unprotect() }.map_err(|e| kernel("open for writing", length, e))
    }

    /// What is tracked of it.
    fn spans(&self) -> Spans {
        self.watch.as_ref().map_or(Spans::NONE, Watch::spans)
    }

    /// Lets the memory grow to this size: one `mprotect`. Where the kernel has no more mappings, a tracked memory is opened whole, which
    /// takes one fewer: growth must not fail on this node alone.
    ///
    /// `size` is at most the reservation of the layout that it was mapped with.
    pub(super) fn grow(&mut self, size: usize) -> Result<(), RecycleError> {
        let open = self.lead + size;
        self.open_to(open).or_else(|error| match &self.watch {
            Some(watch) if watch.open_all().is_ok() => self.open_to(open),
            _ => Err(error),
        })
    }

    fn open_to(&mut self, open: usize) -> Result<(), RecycleError> {
        assert!(self.start.as_ptr() as usize + open <= self.mapping.as_ptr() as usize + self.mapped.get());
        let (from, to, protection) = if open > self.open {
            (self.open, open, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE)
        } else {
            (open, self.open, ProtFlags::PROT_NONE)
        };
        if from < to {
            // SAFETY: both ends are within the lead and the reservation, so only this slot is concerned; when it shrinks, the
            // tenant is gone.
            unsafe { mprotect(self.start.add(from).cast(), to - from, protection) }
                .map_err(|e| kernel("change the protection of", to - from, e.into()))?;
        }
        self.open = open;
        Ok(())
    }

    /// Zeroes what the last tenant opened, and all that was not tracked. Its pages stay.
    pub(super) fn wipe(&mut self, wipe: &Wipe) {
        let opened = self.watch.as_ref().map_or(0, Watch::opened);
        let untracked = self.spans().length()..self.open;
        for range in self.spans().runs(opened).chain([untracked]) {
            let start = range.start.max(self.lead);
            if start < range.end {
                // SAFETY: the range is open and aligned to pages of 64 KiB, and the tenant is gone.
                unsafe { wipe.zero(self.start.add(start).as_ptr(), range.end - start) }
            }
        }
    }

    /// Zeroes a part of it, to see how long that takes. Both ends are multiples of 4 KiB.
    pub(super) fn wipe_part(&mut self, wipe: &Wipe, start: usize, length: usize) {
        assert!(start + length <= self.accessible());
        // SAFETY: the part is accessible and aligned, and this slot never had a tenant.
        unsafe { wipe.zero(self.base().add(start), length) }
    }

    /// Writes a byte to each host page of a part of it, to see how long that takes.
    pub(super) fn touch_part(&mut self, start: usize, length: usize) {
        assert!(start + length <= self.accessible());
        for at in (start..start + length).step_by(HOST_PAGE_SIZE) {
            // SAFETY: the part is accessible, and this slot never had a tenant.
            unsafe { self.base().add(at).write_volatile(1) };
        }
    }

    /// Writes a byte to each huge page of it, which opens what is tracked.
    pub(super) fn touch_huge_pages(&mut self) {
        for at in (self.lead..self.open).step_by(HUGE_PAGE) {
            // SAFETY: it is accessible, and this slot never had a tenant.
            unsafe { self.start.add(at).write_volatile(1) };
        }
    }

    /// Gives every page back to the kernel, which zeroes by that: one `madvise`.
    pub(super) fn decommit(&mut self) -> Result<(), RecycleError> {
        // SAFETY: the range lies in this slot, and the tenant is gone.
        unsafe { madvise(self.start.cast(), self.resident, MmapAdvise::MADV_DONTNEED) }
            .map_err(|e| kernel("take back", self.resident, e.into()))?;
        self.resident = 0;
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.watch = None;
        // SAFETY: this slot alone owns the mapping. It fails only if the kernel would have to split it, which it need not.
        let _ = unsafe { munmap(self.mapping.cast(), self.mapped.get()) };
    }
}

/// Bytes before a memory of this size, so that it ends where a huge page does.
const fn lead(size: usize, huge: bool) -> usize {
    if huge && size >= HUGE_FROM { size.next_multiple_of(HUGE_PAGE) - size } else { 0 }
}

fn kernel(action: &'static str, length: usize, source: io::Error) -> RecycleError {
    RecycleError::Kernel { action, length: Bytes(length as u64), source }
}
