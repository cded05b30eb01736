//! How the bytes of a tenant that is gone become zero.

use super::{Thresholds, stream};

/// How a slot that stays resident is zeroed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wipe {
    /// By `memset`, through the caches: cheapest while the memory fits them.
    Zero,
    /// By non-temporal stores, past the caches: cheapest for memories beyond them. `memset` where the processor has none.
    Stream,
    /// By whichever of the two is cheaper for the size at hand.
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
        let streams = match self {
            Self::Zero => false,
            Self::Stream => true,
            Self::Adaptive(thresholds) => thresholds.streams(length),
            #[cfg(test)]
            Self::Forgotten => return,
        };
        // SAFETY: the caller's promises.
        unsafe { if streams { stream::zero(start, length) } else { start.write_bytes(0, length) } }
    }
}
