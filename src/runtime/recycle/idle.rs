//! The slots that wait for a tenant.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::slot::Slot;

/// Most slots that wait. It bounds address space, not memory, which the keep limit bounds.
const MOST: usize = 256;

/// The idle slots, last in first out so that caches are warm, and the bytes they may hold resident.
#[derive(Debug)]
pub(super) struct Idle {
    keep: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// What the waiting slots and those that were admitted may hold resident: never above the keep limit.
    kept: usize,
    /// The one that waits longest first.
    slots: Vec<Slot>,
}

impl Idle {
    pub(super) const fn new(keep: usize) -> Self {
        Self { keep, state: Mutex::new(State { kept: 0, slots: Vec::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slot that was last used with this size. Without one, any other where a new one would outgrow the keep limit; `None`
    /// asks for a new one.
    ///
    /// `footprint` is what a memory of this size would hold resident.
    ///
    /// So tenants of different sizes each find a slot of their own size, which costs no `mprotect`, while memory allows.
    pub(super) fn take(&self, size: usize, footprint: usize) -> Option<Slot> {
        let State { kept, slots } = &mut *self.state();
        let place = slots.iter().rposition(|slot| slot.accessible() == size).or_else(|| {
            let full = kept.saturating_add(footprint) > self.keep || slots.len() >= MOST;
            (0..slots.len()).filter(|_| full).max_by_key(|&place| slots[place].resident())
        })?;
        let slot = slots.remove(place);
        *kept -= slot.resident();
        Some(slot)
    }

    /// Makes room for a slot to stay resident: gives the slots that waited longest and have to go for it, for the caller to unmap outside of
    /// the lock. From then on it is counted, and [`Idle::put`] is to follow. `None` if there is no room even without them.
    ///
    /// Were the newest to go instead, slots that nobody asks for any more would have every later call pay for new pages.
    pub(super) fn admit(&self, slot: &Slot) -> Option<Vec<Slot>> {
        let State { kept, slots } = &mut *self.state();
        let mut left = kept.checked_add(slot.resident())?;
        let fits = |left: &usize| *left <= self.keep;
        let mut going = 0;
        while !fits(&left) {
            left -= slots.get(going)?.resident();
            going += 1;
        }
        *kept = left;
        Some(slots.drain(..going).collect())
    }

    /// Lets a clean slot wait, and gives the one that waited longest where there are too many. One that holds memory was admitted before.
    pub(super) fn put(&self, slot: Slot) -> Option<Slot> {
        let State { kept, slots } = &mut *self.state();
        let going = (slots.len() >= MOST).then(|| slots.remove(0));
        *kept -= going.as_ref().map_or(0, Slot::resident);
        slots.push(slot);
        going
    }

    /// Counts an admitted slot no longer: it will be unmapped.
    pub(super) fn dismiss(&self, slot: &Slot) {
        self.state().kept -= slot.resident();
    }

    /// How many slots wait.
    pub(super) fn len(&self) -> usize {
        self.state().slots.len()
    }

    /// The most that they hold resident.
    pub(super) fn kept(&self) -> usize {
        self.state().kept
    }
}
