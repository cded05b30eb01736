//! Zeroing by non-temporal stores: they go past the caches, so a line need not be read before it is overwritten, and nothing
//! of use is evicted (Intel 64 and IA-32 Optimization Reference Manual, "Non-temporal Store Instructions").

use crate::units::HOST_PAGE_SIZE as HOST_PAGE;

/// Zeroes `length` bytes from `start`, without the caches where the machine can, else by `memset`.
///
/// # Safety
/// The range is writable, nobody else uses it, and both ends are multiples of 4 KiB.
pub(super) unsafe fn zero(start: *mut u8, length: usize) {
    debug_assert!(start.addr().is_multiple_of(HOST_PAGE) && length.is_multiple_of(HOST_PAGE));
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the caller's promises, and each instruction set is used only where it was detected.
    unsafe {
        if is_x86_feature_detected!("avx512f") {
            x86::zero_512(start, length);
        } else if is_x86_feature_detected!("avx2") {
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

/// Zeroes `length` bytes from `start`: of every four host pages two by non-temporal stores, and two by reading them and writing
/// only the lines in which something is left.
///
/// A core has a limited number of buffers for lines under way to or from memory. Reads that were prefetched wait in those of the
/// second-level cache and non-temporal stores in others, so the two together move more than either alone: 22 GB/s instead of 19 at
/// 64 MiB on a Xeon of the Emerald Rapids generation, 28 instead of 19 at 1 MiB. Half and half was best or within a tenth of the
/// best there at every size.
///
/// Where more than half of the lines are found written, the tenant has just brought them into the caches, where `memset` is faster: it
/// then wipes the next [`DENSE_TURNS`] turns, up to [`DENSE_UP_TO`].
///
/// # Safety
/// As for [`zero`].
pub(super) unsafe fn blend(start: *mut u8, length: usize) {
    const TURN: usize = 4 * HOST_PAGE;
    let turns = length / TURN * TURN;
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: as above.
    unsafe {
        if is_x86_feature_detected!("avx512f") {
            x86::blend_512(start, turns);
        } else if is_x86_feature_detected!("avx2") {
            x86::blend_256(start, turns);
        } else {
            x86::blend_128(start, turns);
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SAFETY: the caller's promises.
    unsafe {
        start.write_bytes(0, turns);
    }
    // SAFETY: the rest of the caller's range. Wasm pages leave none.
    unsafe {
        start.add(turns).write_bytes(0, length - turns);
    }
}

/// After as many turns by `memset` the next one is looked at again, so that a tenant cannot have much wiped the dearer way.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const DENSE_TURNS: usize = 3;

/// Beyond this a memory is in no cache; the blend is faster however much of it was written (3.5 against 6 ms for 64 MiB, 0.66 against
/// 0.6 for 8 MiB, on the same machine).
#[cfg(all(target_arch = "x86_64", not(miri)))]
const DENSE_UP_TO: usize = 16 << 20;

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, __m512i, _MM_HINT_T1, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_prefetch,
        _mm_setzero_si128, _mm_sfence, _mm_stream_si128, _mm256_or_si256, _mm256_setzero_si256, _mm256_stream_si256,
        _mm256_testz_si256, _mm512_or_si512, _mm512_setzero_si512, _mm512_stream_si512, _mm512_test_epi64_mask,
    };

    use super::{DENSE_TURNS, DENSE_UP_TO, HOST_PAGE};

    /// Bytes in a cache line of every x86-64 processor.
    const LINE: usize = 64;

    /// Functions of one width: the loops are the same, the instructions are not, and `target_feature` is per function.
    macro_rules! width {
        ($zero:ident, $blend:ident, $feature:literal, $vector:ty, $nothing:ident, $stream:ident, $or:ident, $is_zero:expr) => {
            #[target_feature(enable = $feature)]
            pub(super) unsafe fn $zero(start: *mut u8, length: usize) {
                const STEP: usize = 4 * size_of::<$vector>();
                let nothing = $nothing();
                for at in (0..length).step_by(STEP) {
                    for part in (0..STEP).step_by(size_of::<$vector>()) {
                        // SAFETY: the caller's range is writable, and a multiple of four vectors, as is the start.
                        unsafe { $stream(start.add(at + part).cast(), nothing) };
                    }
                }
                // Non-temporal stores are weakly ordered: no later store, the unlock that hands the slot on among them, may
                // become visible first.
                _mm_sfence();
            }

            #[target_feature(enable = $feature)]
            #[expect(clippy::cast_ptr_alignment, reason = "the caller's range starts at a page")]
            pub(super) unsafe fn $blend(start: *mut u8, length: usize) {
                const TURN: usize = 4 * HOST_PAGE;
                let nothing = $nothing();
                let is_zero = $is_zero;
                let mut dense_turns = 0;
                for turn in (0..length).step_by(TURN) {
                    if dense_turns > 0 {
                        dense_turns -= 1;
                        // SAFETY: in the caller's range, which is whole turns.
                        unsafe { start.add(turn).write_bytes(0, TURN) };
                        continue;
                    }
                    let mut written = 0;
                    for line in (turn..turn + HOST_PAGE).step_by(LINE) {
                        for checked in [line, line + HOST_PAGE] {
                            // Beyond the range it does nothing: a prefetch never faults.
                            _mm_prefetch::<_MM_HINT_T1>(start.wrapping_add(checked + TURN).cast());
                            let mut found = nothing;
                            for part in (checked..checked + LINE).step_by(size_of::<$vector>()) {
                                // SAFETY: in the caller's range, and aligned as its start is.
                                found = $or(found, unsafe { start.add(part).cast::<$vector>().read() });
                            }
                            if !is_zero(found) {
                                written += 1;
                                // SAFETY: the same line.
                                unsafe { start.add(checked).write_bytes(0, LINE) };
                            }
                        }
                        for streamed in [line + 2 * HOST_PAGE, line + 3 * HOST_PAGE] {
                            for part in (streamed..streamed + LINE).step_by(size_of::<$vector>()) {
                                // SAFETY: in the caller's range, and aligned as its start is.
                                unsafe { $stream(start.add(part).cast(), nothing) };
                            }
                        }
                    }
                    if written > HOST_PAGE / LINE && length <= DENSE_UP_TO {
                        dense_turns = DENSE_TURNS;
                    }
                }
                // As above.
                _mm_sfence();
            }
        };
    }

    width!(
        zero_512,
        blend_512,
        "avx512f",
        __m512i,
        _mm512_setzero_si512,
        _mm512_stream_si512,
        _mm512_or_si512,
        |found| _mm512_test_epi64_mask(found, found) == 0
    );
    width!(zero_256, blend_256, "avx2", __m256i, _mm256_setzero_si256, _mm256_stream_si256, _mm256_or_si256, |found| {
        _mm256_testz_si256(found, found) == 1
    });
    width!(zero_128, blend_128, "sse2", __m128i, _mm_setzero_si128, _mm_stream_si128, _mm_or_si128, |found| {
        _mm_movemask_epi8(_mm_cmpeq_epi8(found, _mm_setzero_si128())) == 0xffff
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    #[repr(align(4096))]
    struct Page([u8; 4096]);

    /// Every length of up to 25 pages, so that turns end in every way, blended or by `memset`, with a neighbour on both sides.
    fn wipes_exactly_the_range(wipe: impl Fn(*mut u8, usize)) {
        for length in 0..=25 {
            let mut pages = vec![Page([0xa5; 4096]); length + 2];
            wipe(pages[1..].as_mut_ptr().cast(), length * 4096);
            let (inside, ends) = (&pages[1..=length], [&pages[0], &pages[length + 1]]);
            assert!(ends.iter().all(|page| page.0 == [0xa5; 4096]), "a neighbour of {length} pages was written");
            assert!(inside.iter().all(|page| page.0 == [0; 4096]), "a byte of {length} pages was left");
        }
    }

    #[test]
    fn exactly_the_range_is_zeroed() {
        // SAFETY of the calls: the range is within the test's own pages.
        wipes_exactly_the_range(|start, length| unsafe { zero(start, length) });
        wipes_exactly_the_range(|start, length| unsafe { blend(start, length) });
    }

    #[test]
    fn a_single_byte_is_found_wherever_it_is() {
        let mut pages = vec![Page([0; 4096]); 8];
        for at in (0..8 * 4096).step_by(61) {
            pages[at / 4096].0[at % 4096] = 1;
            // SAFETY: the test's own pages.
            unsafe { blend(pages.as_mut_ptr().cast(), 8 * 4096) };
            assert_eq!(pages[at / 4096].0[at % 4096], 0, "byte {at}");
        }
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[test]
    fn every_width_that_is_here_zeroes_exactly_the_range() {
        type Functions = [unsafe fn(*mut u8, usize); 2];
        let turns = |length: usize| length / (4 * HOST_PAGE) * (4 * HOST_PAGE);
        // SAFETY of the calls within: the test's own pages, and the instructions are detected just before.
        let widths: [(bool, Functions); 3] = [
            (true, [x86::zero_128, x86::blend_128]),
            (
                is_x86_feature_detected!("avx2"),
                [
                    |start, length| unsafe { x86::zero_256(start, length) },
                    |start, length| unsafe { x86::blend_256(start, length) },
                ],
            ),
            (
                is_x86_feature_detected!("avx512f"),
                [
                    |start, length| unsafe { x86::zero_512(start, length) },
                    |start, length| unsafe { x86::blend_512(start, length) },
                ],
            ),
        ];
        for [zero, blend] in widths.into_iter().filter_map(|(is_here, both)| is_here.then_some(both)) {
            wipes_exactly_the_range(|start, length| unsafe { zero(start, length) });
            wipes_exactly_the_range(|start, length| unsafe {
                blend(start, turns(length));
                start.add(turns(length)).write_bytes(0, length - turns(length));
            });
        }
    }
}
