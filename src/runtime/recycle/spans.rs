//! How a tracked memory is cut into spans, each of which was written to or not.

use std::ops::Range;

/// Bytes in a huge page. A span is a multiple of it: where protection changes within a huge page, the kernel splits it for good.
pub(super) const HUGE_PAGE: usize = 2 << 20;

/// Most spans of a memory: each may be a mapping of its own to the kernel, and each that is written to faults once.
const MOST: usize = 16;

/// A length in bytes, cut into at most 16 spans. Sets of spans are bits, the first the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spans {
    length: usize,
    span: usize,
}

impl Spans {
    pub(super) const NONE: Self = Self::over(0);

    /// Of 2 MiB each up to 32 MiB, of 4 MiB up to 64, and so on.
    pub(super) const fn over(length: usize) -> Self {
        Self { length, span: length.div_ceil(MOST).next_multiple_of(HUGE_PAGE) }
    }

    pub(super) const fn length(self) -> usize {
        self.length
    }

    /// The spans in which these bytes lie; none behind the length.
    pub(super) fn with(self, bytes: Range<usize>) -> u32 {
        let end = bytes.end.min(self.length);
        if bytes.start >= end {
            return 0;
        }
        let (first, last) = (bytes.start / self.span, (end - 1) / self.span);
        below(last + 1) & !below(first)
    }

    /// The spans to open at a write to this byte, with these open already: its own, and away from the longer run that is open right
    /// beside it, as many in all as that has.
    ///
    /// A memory that is written from one end to the other so faults five times and not sixteen, and of a run of writes at most twice as
    /// many spans are wiped as were written. Who leaves out every other span at first faults once for each.
    pub(super) fn at_write(self, byte: usize, opened: u32) -> u32 {
        let own = self.with(byte..byte + 1);
        if own == 0 {
            return 0;
        }
        let first = own.trailing_zeros();
        let before = opened.unbounded_shl(u32::BITS - first).leading_ones();
        let after = opened.unbounded_shr(first + 1).trailing_ones();
        let (from, end) = if before >= after {
            (first, first + before.max(1))
        } else {
            ((first + 1).saturating_sub(after), first + 1)
        };
        below(end as usize) & !below(from as usize) & self.with(0..self.length)
    }

    /// The bytes from the first of these spans to the last.
    pub(super) fn around(self, spans: u32) -> Range<usize> {
        let first = spans.trailing_zeros() as usize;
        let end = (u32::BITS - spans.leading_zeros()) as usize;
        if spans == 0 { 0..0 } else { self.bytes(first, end) }
    }

    /// The bytes of these spans, neighbours together, in ascending order.
    pub(super) fn runs(self, spans: u32) -> impl Iterator<Item = Range<usize>> {
        let mut left = spans;
        std::iter::from_fn(move || {
            let first = left.trailing_zeros();
            let length = left.unbounded_shr(first).trailing_ones();
            left &= !below((first + length) as usize);
            (length > 0).then(|| self.bytes(first as usize, (first + length) as usize))
        })
    }

    fn bytes(self, first: usize, end: usize) -> Range<usize> {
        (first * self.span).min(self.length)..(end * self.span).min(self.length)
    }
}

/// The bits below this one.
fn below(end: usize) -> u32 {
    u32::try_from(end).ok().and_then(|end| 1u32.checked_shl(end)).map_or(u32::MAX, |bit| bit - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn runs(spans: Spans, set: u32) -> Vec<Range<usize>> {
        spans.runs(set).collect()
    }

    #[test]
    fn there_are_never_more_than_sixteen_and_each_is_whole_huge_pages() {
        for length in (0..=4 << 10).step_by(2).map(|mib| mib * MIB) {
            let spans = Spans::over(length);
            let count = spans.with(0..length).count_ones() as usize;
            assert!(count <= MOST && spans.span.is_multiple_of(HUGE_PAGE), "{length}: {spans:?}");
            assert_eq!(spans.around(spans.with(0..length)), 0..length);
            assert_eq!(spans.runs(spans.with(0..length)).map(|run| run.len()).sum::<usize>(), length);
        }
        let counts = [2, 4, 32, 34, 64, 128].map(|mib| Spans::over(mib * MIB).with(0..usize::MAX).count_ones());
        assert_eq!(counts, [1, 2, 16, 9, 16, 16]);
    }

    #[test]
    fn bytes_lie_in_the_spans_that_hold_them() {
        let spans = Spans::over(8 * MIB);
        let border = 2 * MIB;
        assert_eq!(spans.with(0..1), 0b1);
        assert_eq!(spans.with(border - 1..border), 0b1);
        assert_eq!(spans.with(border - 1..border + 1), 0b11);
        assert_eq!(spans.with(border..border + 1), 0b10);
        assert_eq!(spans.with(1..8 * MIB), 0b1111);
        assert_eq!(spans.with(8 * MIB - 1..9 * MIB), 0b1000, "as far as the length");
        assert_eq!([spans.with(8 * MIB..9 * MIB), spans.with(5..5), Spans::NONE.with(0..9)], [0; 3]);
    }

    #[test]
    fn a_run_of_writes_opens_twice_as_much_each_time() {
        let spans = Spans::over(64 * MIB);
        let mut opened = 0;
        let mut faults = Vec::new();
        for byte in (0..64 * MIB).step_by(MIB) {
            if spans.with(byte..byte + 1) & opened == 0 {
                opened |= spans.at_write(byte, opened);
                faults.push(opened.count_ones());
            }
        }
        assert_eq!(faults, [1, 2, 4, 8, 16]);
    }

    /// The worst order would else be three times as dear as the one that is measured.
    #[test]
    fn a_run_of_writes_from_the_end_down_faults_as_often_as_one_up() {
        let spans = Spans::over(64 * MIB);
        let (mut opened, mut faults) = (0, Vec::new());
        for byte in (0..64 * MIB).step_by(MIB).rev() {
            if spans.with(byte..byte + 1) & opened == 0 {
                opened |= spans.at_write(byte, opened);
                faults.push(opened.count_ones());
            }
        }
        assert_eq!(faults, [1, 2, 4, 8, 16]);
        assert_eq!(spans.at_write(8 * MIB, 0b1_1000), 0b110);
        assert_eq!(spans.at_write(4 * MIB, 0b1111_1100), 0b11, "as far as there are spans");
    }

    #[test]
    fn what_is_open_elsewhere_opens_nothing_more() {
        let spans = Spans::over(12 * MIB);
        assert_eq!(spans.at_write(0, 0b11_1110), 0b1);
        assert_eq!(spans.at_write(4 * MIB, 0b11_0001), 0b100);
        assert_eq!(spans.at_write(6 * MIB, 0b110), 0b1_1000);
        assert_eq!(spans.at_write(8 * MIB, 0b1111), 0b11_0000, "as far as there are spans");
        assert_eq!(spans.at_write(12 * MIB, 0b1), 0);
    }

    #[test]
    fn runs_are_neighbours_taken_together() {
        let spans = Spans::over(12 * MIB);
        assert_eq!(runs(spans, 0b10_1101), [0..2 * MIB, 4 * MIB..8 * MIB, 10 * MIB..12 * MIB]);
        assert_eq!(spans.around(0b1_0100), 4 * MIB..10 * MIB);
        assert_eq!((runs(spans, 0), spans.around(0)), (vec![], 0..0));
        // The last span of 34 MiB is half a one.
        assert_eq!(runs(Spans::over(34 * MIB), 1 << 8), vec![32 * MIB..34 * MIB; 1]);
    }

    #[test]
    fn every_set_of_spans_is_its_runs() {
        let spans = Spans::over(10 * MIB);
        for set in 0..32 {
            let back = spans.runs(set).map(|run| spans.with(run)).fold(0, |all, run| all | run);
            assert_eq!(back, set);
        }
    }
}
