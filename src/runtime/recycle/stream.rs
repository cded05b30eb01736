//! Zeroing by non-temporal stores: they go past the caches, so a line need not be read before it is overwritten, and nothing
//! of use is evicted (Intel 64 and IA-32 Optimization Reference Manual, "Non-temporal Store Instructions").

/// Zeroes `length` bytes from `start`, without the caches where the machine can, else by `memset`.
///
/// # Safety
/// The range is writable, nobody else uses it, and both ends are multiples of 4 KiB.
pub(super) unsafe fn zero(start: *mut u8, length: usize) {
    debug_assert!(start.addr().is_multiple_of(4096) && length.is_multiple_of(4096));
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the caller's promises, and each instruction set is used only where it was detected.
    unsafe {
        if is_x86_feature_detected!("avx512f") {
            x86::zero_512(start, length);
        } else if is_x86_feature_detected!("avx") {
            x86::zero_256(start, length);
        } else {
            x86::zero_128(start, length);
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SAFETY: the caller's promises.
    unsafe {
        start.write_bytes(0, length);
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, __m512i, _mm_setzero_si128, _mm_sfence, _mm_stream_si128, _mm256_setzero_si256,
        _mm256_stream_si256, _mm512_setzero_si512, _mm512_stream_si512,
    };

    /// One function a width: the loop is the same, the instruction is not, and `target_feature` is per function.
    macro_rules! zero {
        ($name:ident, $feature:literal, $vector:ty, $zero:ident, $stream:ident) => {
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn $name(start: *mut u8, length: usize) {
                let zero = $zero();
                #[expect(clippy::cast_ptr_alignment, reason = "the caller's range starts at a page")]
                let vectors = start.cast::<$vector>();
                for at in (0..length / size_of::<$vector>()).step_by(4) {
                    // SAFETY: the caller's range is writable, and a multiple of four vectors, as is the start.
                    unsafe {
                        $stream(vectors.add(at), zero);
                        $stream(vectors.add(at + 1), zero);
                        $stream(vectors.add(at + 2), zero);
                        $stream(vectors.add(at + 3), zero);
                    }
                }
                // Non-temporal stores are weakly ordered: no later store, the unlock that hands the slot on among them, may
                // become visible first.
                _mm_sfence();
            }
        };
    }

    zero!(zero_512, "avx512f", __m512i, _mm512_setzero_si512, _mm512_stream_si512);
    zero!(zero_256, "avx", __m256i, _mm256_setzero_si256, _mm256_stream_si256);
    zero!(zero_128, "sse2", __m128i, _mm_setzero_si128, _mm_stream_si128);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(4096))]
    struct Page([u8; 4096]);

    fn wiped(wipe: unsafe fn(*mut u8, usize)) {
        let mut pages = [const { Page([0xa5; 4096]) }; 4];
        // SAFETY: the two middle pages are this test's own.
        unsafe { wipe(pages.as_mut_ptr().cast::<u8>().add(4096), 8192) };
        assert!(pages[0].0.iter().chain(&pages[3].0).all(|&byte| byte == 0xa5), "a neighbour was written");
        assert!(pages[1].0.iter().chain(&pages[2].0).all(|&byte| byte == 0), "a byte was left");
    }

    #[test]
    fn exactly_the_range_is_zeroed() {
        wiped(zero);
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[test]
    fn every_width_that_is_here_zeroes_exactly_the_range() {
        wiped(x86::zero_128);
        // SAFETY of the calls within: detected just before.
        if is_x86_feature_detected!("avx") {
            wiped(|start, length| unsafe { x86::zero_256(start, length) });
        }
        if is_x86_feature_detected!("avx512f") {
            wiped(|start, length| unsafe { x86::zero_512(start, length) });
        }
    }
}
