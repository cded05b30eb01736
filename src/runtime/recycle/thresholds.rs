use super::RecycleError;
use super::slot::{Layout, Slot};
use super::wipe::Wipe;
use crate::units::Bytes;

/// From which size on non-temporal stores are the cheaper wipe.
///
/// `memset` is faster while the memory waits in the caches. Otherwise it reads every line before it overwrites it, which
/// non-temporal stores spare. Where that turns over depends on the machine and its neighbours, so it is best measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// `usize::MAX` where `memset` is always cheaper.
    stream_from: usize,
}

impl Default for Thresholds {
    /// 4 MiB, more than a private cache holds: for where nothing was measured.
    fn default() -> Self {
        Self { stream_from: 4 << 20 }
    }
}

/// Sizes that are tried, and how often. Small ones are cheap and noisy.
const TRIALS: [(usize, usize); 6] =
    [(64 << 10, 15), (256 << 10, 15), (1 << 20, 11), (4 << 20, 7), (16 << 20, 3), (32 << 20, 3)];

/// Every trial wipes what was wiped longest ago of this much, so that the caches hold as little of it as of a memory whose last
/// call is some calls ago.
const GROUND: usize = 64 << 20;

impl Thresholds {
    /// Measures this machine: about 400 MiB are wiped either way, in turn, which takes some 50 ms and 64 MiB of memory.
    ///
    /// `now_ns` reads a clock that never goes back, in nanoseconds. The median of the trials at each size decides, so that a few
    /// interruptions change nothing; where the two wipes cost the same, either answer is right.
    ///
    /// # Errors
    /// The kernel refuses the memory.
    pub fn measure(now_ns: &dyn Fn() -> u64) -> Result<Self, RecycleError> {
        let mut ground = Slot::map(Layout { reservation: GROUND, guard: 0 }, GROUND, false)?;
        // New pages would be faulted in by whichever wipe came first.
        ground.wipe(&Wipe::Zero);
        let mut place = 0;
        let mut time = |wipe: &Wipe, size: usize| {
            if place + size > GROUND {
                place = 0;
            }
            let start = now_ns();
            ground.wipe_part(wipe, place, size);
            place += size;
            now_ns().saturating_sub(start)
        };
        let costs = TRIALS.map(|(size, trials)| {
            let (zero, stream) = (0..trials).map(|_| (time(&Wipe::Zero, size), time(&Wipe::Stream, size))).unzip();
            Costs { size, zero: median(zero), stream: median(stream) }
        });
        Ok(Self::between(&costs))
    }

    /// Non-temporal stores from this size on; `None` for never.
    #[must_use]
    pub fn streaming_from(size: Option<Bytes>) -> Self {
        Self { stream_from: size.and_then(|size| usize::try_from(size.0).ok()).unwrap_or(usize::MAX) }
    }

    /// The smallest size from which on non-temporal stores were cheaper at every size. `costs` ascend by size.
    fn between(costs: &[Costs]) -> Self {
        let cheaper = costs.iter().rev().take_while(|cost| cost.stream < cost.zero);
        Self { stream_from: cheaper.last().map_or(usize::MAX, |cost| cost.size) }
    }

    /// The size from which on non-temporal stores are used; `None` where they never are.
    #[must_use]
    pub fn stream_from(self) -> Option<Bytes> {
        (self.stream_from < usize::MAX).then_some(Bytes(self.stream_from as u64))
    }

    pub(super) const fn streams(self, length: usize) -> bool {
        length >= self.stream_from
    }
}

/// Nanoseconds that the wipes took at one size.
#[derive(Debug, Clone, Copy)]
struct Costs {
    size: usize,
    zero: u64,
    stream: u64,
}

fn median(mut times: Vec<u64>) -> u64 {
    let middle = times.len() / 2;
    *times.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(costs: &[(usize, u64, u64)]) -> Option<Bytes> {
        let costs: Vec<Costs> = costs.iter().map(|&(size, zero, stream)| Costs { size, zero, stream }).collect();
        Thresholds::between(&costs).stream_from()
    }

    #[test]
    fn the_last_turn_counts() {
        assert_eq!(between(&[(1, 1, 2), (2, 3, 2), (4, 4, 5), (8, 9, 7), (16, 20, 10)]), Some(Bytes(8)));
        assert_eq!(between(&[(1, 3, 2), (2, 5, 4)]), Some(Bytes(1)));
        assert_eq!(between(&[(1, 1, 2), (2, 3, 4)]), None);
    }

    #[test]
    fn a_few_interruptions_change_nothing() {
        assert_eq!(median(vec![5, 1_000_000, 6, 4, 900_000]), 6);
    }

    #[test]
    fn the_same_clock_gives_the_same_thresholds() {
        // A clock that stands still sees no difference, and then `memset` stays.
        assert_eq!(Thresholds::measure(&|| 7).unwrap().stream_from(), None);
    }
}
