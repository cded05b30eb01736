//! Address space for one memory, mapped once and used by one tenant after the other.
#![expect(unsafe_code, reason = "a slot is a raw mapping")]

use std::io;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};

use super::RecycleError;
use super::wipe::Wipe;
use crate::units::Bytes;

/// Bytes in a huge page, and the alignment of every slot: the kernel backs only aligned ranges with huge pages.
const HUGE_PAGE: usize = 2 << 20;

/// The address space of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// The most that a memory may grow to.
    pub(super) reservation: usize,
    /// Bytes behind it that are never accessible.
    pub(super) guard: usize,
}

/// A mapping whose first `accessible` bytes can be read and written and whose rest faults.
///
/// Between tenants every byte that was ever accessible is zero.
#[derive(Debug)]
pub(super) struct Slot {
    /// First byte of the mapping as the kernel gave it.
    mapping: NonNull<u8>,
    mapped: NonZeroUsize,
    /// First byte of the memory.
    base: NonNull<u8>,
    accessible: usize,
    /// No byte from here on held a page when the last tenant left: nobody had access to it since the last decommit.
    resident: usize,
}

// SAFETY: a slot is the only owner of its mapping, and nothing in it is bound to a thread.
unsafe impl Send for Slot {}
// SAFETY: through a shared reference only sizes and an address can be read.
unsafe impl Sync for Slot {}

impl Slot {
    /// Reserves address space and makes the first `accessible` bytes of it usable.
    pub(super) fn map(layout: Layout, accessible: usize, huge: bool) -> Result<Self, RecycleError> {
        let length = layout.reservation.checked_add(layout.guard).and_then(|length| length.checked_add(HUGE_PAGE));
        let too_long = || kernel("reserve", usize::MAX, io::ErrorKind::OutOfMemory.into());
        let mapped = length.and_then(NonZeroUsize::new).ok_or_else(too_long)?;
        let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let mapping = unsafe { mmap_anonymous(None, mapped, ProtFlags::PROT_NONE, flags) }
            .map_err(|e| kernel("reserve", mapped.get(), e.into()))?
            .cast::<u8>();
        let to_boundary = mapping.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
        // SAFETY: the mapping is longer than this offset by the reservation and the guard.
        let base = unsafe { mapping.add(to_boundary) };
        let mut slot = Self { mapping, mapped, base, accessible: 0, resident: 0 };
        if huge {
            // SAFETY: the range lies in the mapping, and the advice changes no byte.
            unsafe { madvise(base.cast(), layout.reservation, MmapAdvise::MADV_HUGEPAGE) }
                .map_err(|e| kernel("back with huge pages", layout.reservation, e.into()))?;
        }
        slot.resize(accessible)?;
        Ok(slot)
    }

    pub(super) const fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// How much can be read and written.
    pub(super) const fn accessible(&self) -> usize {
        self.accessible
    }

    /// The most that can be in physical memory while no tenant is in it.
    pub(super) const fn resident(&self) -> usize {
        self.resident
    }

    /// Takes note that a tenant had access to all that is accessible.
    pub(super) fn vacate(&mut self) {
        self.resident = self.resident.max(self.accessible);
    }

    /// Moves the end of what is accessible: one `mprotect`, none where the size stays.
    ///
    /// `size` is at most the reservation of the layout it was mapped with.
    pub(super) fn resize(&mut self, size: usize) -> Result<(), RecycleError> {
        let (from, to, protection) = if size > self.accessible {
            (self.accessible, size, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE)
        } else {
            (size, self.accessible, ProtFlags::PROT_NONE)
        };
        if from < to {
            // SAFETY: both ends are within the reservation, so only this slot is concerned; when it shrinks, the tenant is gone.
            unsafe { mprotect(self.base.add(from).cast(), to - from, protection) }
                .map_err(|e| kernel("change the protection of", to - from, e.into()))?;
        }
        self.accessible = size;
        Ok(())
    }

    /// Zeroes what the last tenant could reach. Its pages stay.
    pub(super) fn wipe(&mut self, wipe: &Wipe) {
        // SAFETY: the range is accessible and aligned to pages of 64 KiB, and the tenant is gone.
        unsafe { wipe.zero(self.base(), self.accessible) }
    }

    /// Zeroes a part of it, to see how long that takes. Both ends are multiples of 4 KiB.
    pub(super) fn wipe_part(&mut self, wipe: &Wipe, start: usize, length: usize) {
        debug_assert!(start + length <= self.accessible);
        // SAFETY: the part is accessible and aligned, and this slot never had a tenant.
        unsafe { wipe.zero(self.base().add(start), length) }
    }

    /// Gives every page back to the kernel, which zeroes by that: one `madvise`.
    pub(super) fn decommit(&mut self) -> Result<(), RecycleError> {
        // SAFETY: the range lies in this slot, and the tenant is gone.
        unsafe { madvise(self.base.cast(), self.resident, MmapAdvise::MADV_DONTNEED) }
            .map_err(|e| kernel("take back", self.resident, e.into()))?;
        self.resident = 0;
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: this slot alone owns the mapping. It fails only if the kernel would have to split it, which it need not.
        let _ = unsafe { munmap(self.mapping.cast(), self.mapped.get()) };
    }
}

fn kernel(action: &'static str, length: usize, source: io::Error) -> RecycleError {
    RecycleError::Kernel { action, length: Bytes(length as u64), source }
}
