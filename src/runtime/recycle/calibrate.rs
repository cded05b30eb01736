//! Thresholds as this machine has them.

use super::error::RecycleError;
use super::slot::{Layout, Slot};
use super::thresholds::Thresholds;
use super::wipe::Wipe;
use crate::runtime::huge_pages;
use crate::units::Bytes;

/// Sizes that are tried, and how often. Small ones are cheap and noisy.
const TRIALS: [(usize, usize); 6] =
    [(64 << 10, 21), (256 << 10, 15), (1 << 20, 11), (4 << 20, 7), (16 << 20, 5), (32 << 20, 3)];

/// Every trial takes what was used longest ago of this much, so that the caches hold as little of it as of a memory whose last call
/// is some calls ago.
const GROUND: usize = 64 << 20;

impl Thresholds {
    /// Measures this machine, with all pages touched before each wipe: some 150 ms, and 192 MiB of memory for as long.
    ///
    /// `now_ns` reads a clock that never goes back, in nanoseconds. The median of the trials at each size decides, so that a few
    /// interruptions change nothing; where two wipes cost the same, either answer is right.
    ///
    /// # Errors
    /// The kernel refuses the memory.
    pub fn measure(now_ns: &dyn Fn() -> u64) -> Result<Self, RecycleError> {
        let huge = huge_pages::available().is_ok();
        let layout = Layout { reservation: GROUND, guard: 0 };
        // One ground for each, since a wipe also decides where the next touch finds its lines.
        let mut grounds = Vec::new();
        for wipe in [Wipe::Zero, Wipe::Blend, Wipe::Stream] {
            let mut ground = Slot::map(layout, GROUND, huge)?;
            // New pages would be faulted in by the first trials.
            ground.wipe(&Wipe::Zero);
            grounds.push((wipe, ground));
        }
        let mut place = 0;
        let costs = TRIALS.map(|(size, trials)| {
            let mut times = [const { Vec::new() }; 3];
            for _ in 0..trials {
                place = if place + 2 * size > GROUND { 0 } else { place + size };
                for ((wipe, ground), times) in grounds.iter_mut().zip(&mut times) {
                    let start = now_ns();
                    ground.touch_part(place, size);
                    ground.wipe_part(wipe, place, size);
                    times.push(now_ns().saturating_sub(start));
                }
            }
            let [zero, blend, stream] = times.map(median);
            Costs { size, zero, blend, stream }
        });
        Ok(Self::between(&costs))
    }

    /// Each wipe from the smallest size from which on it beat the ones before it at every size. `costs` ascend by size.
    ///
    /// Non-temporal stores alone must have been cheaper by a tenth. The trials find their memory behind all caches, where they and the
    /// blend are nearly even; where a shared cache still holds it the blend is the cheaper by a third.
    fn between(costs: &[Costs]) -> Self {
        let from = |cheaper: &dyn Fn(&Costs) -> bool| {
            costs.iter().rev().take_while(|cost| cheaper(cost)).last().map(|cost| Bytes(cost.size as u64))
        };
        let streams = |cost: &Costs| cost.stream < cost.blend.min(cost.zero) / 10 * 9;
        Self::from_sizes(from(&|cost| cost.blend < cost.zero || streams(cost)), from(&streams))
    }
}

/// Nanoseconds that touching and wiping took at one size.
#[derive(Debug, Clone, Copy)]
struct Costs {
    size: usize,
    zero: u64,
    blend: u64,
    stream: u64,
}

fn median(mut times: Vec<u64>) -> u64 {
    let middle = times.len() / 2;
    *times.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By size: `memset`, the blend, non-temporal stores.
    fn between(costs: &[(usize, [u64; 3])]) -> [Option<u64>; 2] {
        let costs: Vec<Costs> =
            costs.iter().map(|&(size, [zero, blend, stream])| Costs { size, zero, blend, stream }).collect();
        let thresholds = Thresholds::between(&costs);
        [thresholds.blend_from(), thresholds.stream_from()].map(|size| size.map(|size| size.0))
    }

    #[test]
    fn the_last_turn_counts() {
        assert_eq!(
            between(&[(1, [10, 20, 30]), (2, [30, 20, 40]), (4, [40, 50, 50]), (8, [90, 70, 80])]),
            [Some(8), None]
        );
        assert_eq!(between(&[(1, [30, 20, 40]), (2, [50, 40, 30])]), [Some(1), Some(2)]);
        assert_eq!(between(&[(1, [30, 20, 10]), (2, [50, 40, 30])]), [Some(1), Some(1)]);
        assert_eq!(between(&[(1, [10, 20, 20]), (2, [30, 40, 40])]), [None, None]);
    }

    #[test]
    fn a_near_tie_leaves_the_blend() {
        assert_eq!(between(&[(1, [300, 200, 190]), (2, [500, 400, 361])]), [Some(1), None]);
        assert_eq!(between(&[(1, [300, 200, 190]), (2, [500, 400, 359])]), [Some(1), Some(2)]);
        assert_eq!(between(&[(1, [300, 310, 290])]), [None, None], "not the blend, which lost");
    }

    #[test]
    fn a_few_interruptions_change_nothing() {
        assert_eq!(median(vec![5, 1_000_000, 6, 4, 900_000]), 6);
    }

    #[test]
    fn the_same_clock_gives_the_same_thresholds() {
        // A clock that stands still sees no difference, and then `memset` stays.
        assert_eq!(Thresholds::measure(&|| 7).unwrap(), Thresholds::from_sizes(None, None));
    }
}
