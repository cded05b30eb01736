//! How the bytes of a tenant that is gone become zero.

use super::{Thresholds, stream};

/// How a slot that stays resident is zeroed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wipe {
    /// By `memset`, through the caches: cheapest while the memory fits them.
    Zero,
    /// By non-temporal stores, past the caches: cheapest for memories beyond them. `memset` where the processor has none.
    Stream,
    /// Half by non-temporal stores and half by reading it and writing only where something is left, both at once. `memset` where
    /// the processor has no such stores.
    Blend,
    /// By whichever of the three is cheapest for the size at hand.
    Adaptive(Thresholds),
    /// Not at all: what the isolation check must find.
    #[cfg(test)]
    Forgotten,
}

impl Wipe {
    /// Zeroes `length` bytes from `start`.
    ///
    /// # Safety
    /// The range is writable, nobody else uses it, and both ends are multiples of 4 KiB.
    #[expect(unsafe_code, reason = "memory that Rust does not own is wiped")]
    pub(super) unsafe fn zero(&self, start: *mut u8, length: usize) {
        match self.for_length(length) {
            // SAFETY: the caller's promises.
            Self::Stream => unsafe { stream::zero(start, length) },
            // SAFETY: the caller's promises.
            Self::Blend => unsafe { stream::blend(start, length) },
            #[cfg(test)]
            Self::Forgotten => {}
            // SAFETY: the caller's promises.
            _ => unsafe { start.write_bytes(0, length) },
        }
    }

    /// The wipe that this length gets.
    fn for_length(self, length: usize) -> Self {
        match self {
            Self::Adaptive(thresholds) => thresholds.wipe(length),
            single => single,
        }
    }
}
