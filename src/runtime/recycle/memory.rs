use std::sync::Arc;

use wasmtime::LinearMemory;

use super::error::RecycleError;
use super::shared::Shared;
use super::slot::Slot;
use crate::units::Bytes;

/// A memory in a slot. Dropping it wipes the slot and gives it back, on whichever thread that happens.
pub(super) struct RecycledMemory {
    shared: Arc<Shared>,
    /// `None` only while it is dropped.
    slot: Option<Slot>,
    /// Size at instantiation, to which the slot returns.
    initial: usize,
}

impl RecycledMemory {
    pub(super) const fn new(shared: Arc<Shared>, slot: Slot) -> Self {
        let initial = slot.accessible();
        Self { shared, slot: Some(slot), initial }
    }
}

// SAFETY: the slot reserves `byte_capacity` bytes and the guard behind them, never moves, and its first `byte_size` bytes are
// accessible.
#[expect(unsafe_code, reason = "compiled code relies on the mapping that this describes")]
unsafe impl LinearMemory for RecycledMemory {
    fn byte_size(&self) -> usize {
        self.slot.as_ref().map_or(0, Slot::accessible)
    }

    fn byte_capacity(&self) -> usize {
        self.shared.layout.reservation
    }

    fn grow_to(&mut self, new_size: usize) -> wasmtime::Result<()> {
        let reservation = self.shared.layout.reservation;
        let growth = || RecycleError::Growth { asked: Bytes(new_size as u64), reservation: Bytes(reservation as u64) };
        let slot = self.slot.as_mut().filter(|_| new_size <= reservation).ok_or_else(growth)?;
        if new_size > slot.accessible() {
            slot.grow(new_size)?;
        }
        Ok(())
    }

    fn as_ptr(&self) -> *mut u8 {
        self.slot.as_ref().map_or(std::ptr::null_mut(), Slot::base)
    }
}

impl Drop for RecycledMemory {
    fn drop(&mut self) {
        let Some(mut slot) = self.slot.take() else { return };
        slot.vacate();
        // Those that go for it are unmapped first, so that no more is held than may be kept.
        let admitted = self.shared.idle.admit(&slot).map(drop).is_some();
        let clean = if admitted {
            slot.wipe(&self.shared.wipe);
            Ok(())
        } else {
            slot.decommit()
        };
        // Where the kernel refuses, the slot is unmapped instead: no tenant may see what is left in it.
        if clean.and_then(|()| slot.fit(self.initial)).is_ok() {
            slot.protect_again();
            drop(self.shared.idle.put(slot));
        } else if admitted {
            self.shared.idle.dismiss(&slot);
        }
    }
}
