//! Thresholds as this machine has them.

use std::sync::atomic::{AtomicBool, Ordering};

use super::RESERVATION;
use super::error::RecycleError;
use super::handler;
use super::slot::{Layout, Slot};
use super::spans::HUGE_PAGE;
use super::wipe::Wipe;
use crate::runtime::huge_pages;
use crate::runtime::thresholds::Thresholds;
use crate::units::Bytes;

/// Sizes that are tried, and how often. Small ones are cheap and noisy.
const TRIALS: [(usize, usize); 6] =
    [(64 << 10, 21), (256 << 10, 15), (1 << 20, 11), (4 << 20, 7), (16 << 20, 5), (32 << 20, 3)];

/// Every trial takes what was used longest ago of this much, so that the caches hold as little of it as of a memory whose last call
/// is some calls ago.
const GROUND: usize = 64 << 20;

impl Thresholds {
    /// Measures this machine, with a byte written to each host page before each wipe: some 150 ms, and 192 MiB of memory for as long.
    ///
    /// That is what most calls are like, and what a wipe can gain the most by. Where a tenant wrote every byte it waits in the caches, and `memset`
    /// alone would be cheaper up to some size: docs/strategies.md has both.
    ///
    /// `now_ns` reads a clock that never goes back, in nanoseconds. The median of the trials at each size decides, so that a few
    /// interruptions change nothing; where two wipes cost the same, either answer is right.
    ///
    /// # Errors
    /// The kernel refuses the memory.
    pub fn measure(now_ns: &dyn Fn() -> u64) -> Result<Self, RecycleError> {
        Ok(Self::between(&trials(now_ns, false)?))
    }

    /// The same, and from which size on tracking adds less than a third to what touching and wiping every page costs: never, where
    /// writes cannot be tracked. A thread spins meanwhile, where there is a processor for it: each change of protection has to be told to
    /// every processor that runs a thread of the process. It takes 32 MiB more.
    ///
    /// It installs Wasmtime's handlers of signals and the one of [`Recycler::tracked`](super::Recycler::tracked).
    ///
    /// # Errors
    /// The kernel refuses the memory.
    pub fn measure_tracking(now_ns: &dyn Fn() -> u64) -> Result<Self, RecycleError> {
        handler::install();
        let costs = trials(now_ns, true)?;
        Ok(Self { track_from: from(&costs, &Costs::may_be_tracked), ..Self::between(&costs) })
    }

    /// The thresholds with the smallest product of all costs. `costs` ascend by size. So one size at which a trial was disturbed moves nothing
    /// where all others agree; of several that are level, those that change later.
    ///
    /// Non-temporal stores alone must have been cheaper by a tenth. The trials find their memory behind all caches, where they and the
    /// blend are nearly even; where a shared cache still holds it the blend is the cheaper by a third.
    fn between(costs: &[Costs]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "trials take far less than 2^53 ns")]
        let log = |nanos: u64| (nanos.max(1) as f64).ln();
        let tenth = (10.0_f64 / 9.0).ln();
        let all = costs.len();
        let sum = |(blend, stream): (usize, usize)| -> f64 {
            let cost = |(at, cost): (usize, &Costs)| match at {
                _ if at >= stream => log(cost.stream) + tenth,
                _ if at >= blend => log(cost.blend),
                _ => log(cost.zero),
            };
            costs.iter().enumerate().map(cost).sum()
        };
        let pairs = (0..=all).rev().flat_map(|stream| (0..=stream).rev().map(move |blend| (blend, stream)));
        let (blend, stream) = pairs.min_by(|one, other| sum(*one).total_cmp(&sum(*other))).unwrap_or((all, all));
        let size = |at: usize| costs.get(at).map(|cost| Bytes(cost.size as u64));
        Self { blend_from: size(blend), stream_from: size(stream), track_from: None }
    }
}

/// The smallest size from which on this holds at every size.
fn from(costs: &[Costs], holds: &dyn Fn(&Costs) -> bool) -> Option<Bytes> {
    costs.iter().rev().take_while(|cost| holds(cost)).last().map(|cost| Bytes(cost.size as u64))
}

/// It reserves what others of its kind do, by which they are told apart.
fn tracked_slot(size: usize) -> Result<Option<Slot>, RecycleError> {
    let layout = Layout { reservation: Bytes(RESERVATION).host_size(), guard: 0 };
    let mut slot = Slot::map(layout, size, huge_pages::are_given())?;
    slot.wipe(&Wipe::Zero);
    Ok(slot.track()?.then_some(slot))
}

/// Nanoseconds that touching and wiping took at one size.
#[derive(Debug, Clone, Copy)]
struct Costs {
    size: usize,
    zero: u64,
    blend: u64,
    stream: u64,
    /// What opening every span and protecting them again took, if they were tracked.
    tracking: Option<u64>,
}

impl Costs {
    /// Whether tracking adds less than a third to what it costs without.
    fn may_be_tracked(&self) -> bool {
        let least = self.zero.min(self.blend).min(self.stream);
        self.tracking.is_some_and(|tracking| tracking < least / 3)
    }
}

fn trials(now_ns: &dyn Fn() -> u64, tracked: bool) -> Result<Vec<Costs>, RecycleError> {
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
    let mut costs = Vec::new();
    for (size, trials) in TRIALS {
        // A single span would be written by whoever writes at all.
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
        let slot = if tracked && size > HUGE_PAGE { tracked_slot(size)? } else { None };
        let tracking = slot.map(|slot| beside_a_spinning_thread(|| tracking(now_ns, slot, trials)));
        let [zero, blend, stream] = times.map(median);
        costs.push(Costs { size, zero, blend, stream, tracking });
    }
    Ok(costs)
}

/// What opening every span and protecting them again takes.
fn tracking(now_ns: &dyn Fn() -> u64, mut slot: Slot, trials: usize) -> u64 {
    let trial = |_| {
        let start = now_ns();
        slot.touch_huge_pages();
        slot.protect_again();
        now_ns().saturating_sub(start)
    };
    median((0..trials).map(trial).collect())
}

fn beside_a_spinning_thread<T>(measure: impl FnOnce() -> T) -> T {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return measure();
    }
    let (runs, ends) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            runs.store(true, Ordering::Release);
            while !ends.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        while !runs.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let measured = measure();
        ends.store(true, Ordering::Relaxed);
        measured
    })
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
        let costs: Vec<Costs> = costs
            .iter()
            .map(|&(size, [zero, blend, stream])| Costs { size, zero, blend, stream, tracking: None })
            .collect();
        let thresholds = Thresholds::between(&costs);
        [thresholds.blend_from, thresholds.stream_from].map(|size| size.map(|size| size.0))
    }

    #[test]
    fn all_sizes_together_decide() {
        let costs = [(1, [10, 20, 30]), (2, [30, 20, 40]), (4, [40, 20, 50]), (8, [90, 70, 80])];
        assert_eq!(between(&costs), [Some(2), None]);
        // A trial of the largest size that was disturbed.
        assert_eq!(between(&[costs[0], costs[1], costs[2], (8, [90, 100, 120])]), [Some(2), None]);
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
    fn what_tracking_adds_to_a_call_that_touches_everything_decides() {
        let from = |trackings: [Option<u64>; 4]| {
            let cost = |(size, tracking)| Costs { size, zero: 100, blend: 120, stream: 90, tracking };
            from(&[1, 2, 4, 8].into_iter().zip(trackings).map(cost).collect::<Vec<_>>(), &Costs::may_be_tracked)
        };
        assert_eq!(from([Some(1), Some(30), Some(29), Some(20)]), Some(Bytes(4)), "less than 30");
        assert_eq!(from([None, None, Some(9), Some(9)]), Some(Bytes(4)));
        assert_eq!([from([Some(1), Some(1), Some(1), Some(30)]), from([None; 4])], [None; 2]);
    }

    #[test]
    fn a_few_interruptions_change_nothing() {
        assert_eq!(median(vec![5, 1_000_000, 6, 4, 900_000]), 6);
    }

    #[test]
    fn the_same_clock_gives_the_same_thresholds() {
        // A clock that stands still sees no difference, and then `memset` stays.
        assert_eq!(Thresholds::measure(&|| 7).unwrap(), Thresholds::NEVER);
        let tracking = Thresholds::measure_tracking(&|| 7).unwrap();
        assert_eq!(tracking, Thresholds::NEVER);
    }
}
