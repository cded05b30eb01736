//! How the bytes of a tenant that is gone become zero.

use super::stream;
use crate::runtime::thresholds::Thresholds;
use crate::units::Bytes;

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
    /// But for the last 2 MiB: likewise.
    #[cfg(test)]
    ButLast,
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
            #[cfg(test)]
            // SAFETY: less than the caller's range.
            Self::ButLast => unsafe { start.write_bytes(0, length.saturating_sub(2 << 20)) },
            // SAFETY: the caller's promises.
            _ => unsafe { start.write_bytes(0, length) },
        }
    }

    /// The wipe that this length gets.
    fn for_length(self, length: usize) -> Self {
        let Self::Adaptive(thresholds) = self else { return self };
        let is_from = |from: Option<Bytes>| from.is_some_and(|from| length as u64 >= from.0);
        if is_from(thresholds.stream_from) {
            Self::Stream
        } else if is_from(thresholds.blend_from) {
            Self::Blend
        } else {
            Self::Zero
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_decide_the_wipe() {
        let thresholds = Thresholds { blend_from: Some(Bytes(10)), stream_from: Some(Bytes(20)), track_from: None };
        assert_eq!(
            [9, 10, 19, 20].map(|length| Wipe::Adaptive(thresholds).for_length(length)),
            [Wipe::Zero, Wipe::Blend, Wipe::Blend, Wipe::Stream]
        );
    }
}
