//! The slots that wait for a tenant.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::slot::Slot;

/// Most slots that wait; a slot beyond is unmapped. It bounds address space, not memory, which the keep limit bounds.
const MOST: usize = 256;

/// The idle slots, last in first out so that caches are warm, and the bytes they may hold resident.
#[derive(Debug)]
pub(super) struct Idle {
    keep: usize,
    /// Sum over the slots of what each may hold resident: never above `keep`.
    kept: AtomicUsize,
    slots: Mutex<Vec<Slot>>,
}

impl Idle {
    pub(super) const fn new(keep: usize) -> Self {
        Self { keep, kept: AtomicUsize::new(0), slots: Mutex::new(Vec::new()) }
    }

    /// The slot that was last used with this size. Without one, any other where a new one would outgrow the keep limit; `None`
    /// asks for a new one.
    ///
    /// `footprint` is what a memory of this size would hold resident.
    ///
    /// So tenants of different sizes each find a slot of their own size, which costs no `mprotect`, while memory allows.
    pub(super) fn take(&self, size: usize, footprint: usize) -> Option<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let place = slots.iter().rposition(|slot| slot.accessible() == size).or_else(|| {
            let full = self.kept.load(Ordering::Relaxed).saturating_add(footprint) > self.keep || slots.len() >= MOST;
            (0..slots.len()).filter(|_| full).max_by_key(|&place| slots[place].resident())
        })?;
        let slot = slots.remove(place);
        self.kept.fetch_sub(slot.resident(), Ordering::Relaxed);
        Some(slot)
    }

    /// Whether a slot may stay resident. If so, it is counted from now on, and [`Idle::put`] is to follow.
    pub(super) fn admit(&self, slot: &Slot) -> bool {
        let with = |kept: usize| kept.checked_add(slot.resident()).filter(|&kept| kept <= self.keep);
        self.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with).is_ok()
    }

    /// Lets a clean slot wait. One that holds memory was admitted before.
    pub(super) fn put(&self, slot: Slot) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() < MOST {
            slots.push(slot);
        } else {
            drop(slots);
            self.dismiss(&slot);
        }
    }

    /// Counts an admitted slot no longer: it will be unmapped.
    pub(super) fn dismiss(&self, slot: &Slot) {
        self.kept.fetch_sub(slot.resident(), Ordering::Relaxed);
    }

    /// How many slots wait.
    pub(super) fn len(&self) -> usize {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The most that they hold resident.
    pub(super) fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }
}
