//! What is measured and is no call of a contract under a reset strategy.

use super::allocations::{Allocations, Counting};
use super::{Machine, MeasureError};
use crate::experiment::{Count, Experiment};

/// Something that an experiment does again and again.
pub(super) trait Work {
    /// Does it once. `lap` is called where the first phase begins and where each ends; what comes before and after is not measured.
    ///
    /// # Errors
    /// It cannot be done.
    fn once(&mut self, lap: &mut dyn FnMut()) -> Result<(), MeasureError>;
}

/// Does it once with cold caches, and gives the experiment's values but for the reference probe, in the order of
/// [`Experiment::columns`]. Counters are read outside of the timed spans and are of all phases.
pub(super) fn timed(
    work: &mut dyn Work,
    experiment: &Experiment,
    machine: &mut dyn Machine,
) -> Result<Vec<u64>, MeasureError> {
    let phases = experiment.phases.len();
    let mut laps = Vec::with_capacity(phases + 1);
    let (mut before, mut after) = (Usage::default(), Usage::default());
    let mut allocations = Allocations::default();
    let mut counting = None;
    work.once(&mut || {
        if laps.is_empty() {
            machine.chill();
            before = Usage::now(machine);
            counting = Some(Counting::begin());
        }
        laps.push(machine.now_ns());
        if laps.len() == phases + 1 {
            allocations = counting.take().map(Counting::end).unwrap_or_default();
            after = Usage::now(machine);
        }
    })?;
    if laps.len() != phases + 1 {
        return Err(MeasureError::Laps { experiment: experiment.name, found: laps.len(), phases });
    }
    let count = |count: Count| match count {
        Count::MinorFaults => after.minor_faults.saturating_sub(before.minor_faults),
        Count::InvoluntarySwitches => after.involuntary_switches.saturating_sub(before.involuntary_switches),
        Count::Allocations => allocations.count,
        Count::AllocatedBytes => allocations.bytes,
        Count::PeakBytes => allocations.peak,
    };
    let times = laps.windows(2).map(|lap| lap[1] - lap[0]);
    Ok(times.chain(experiment.counters.iter().map(|counter| count(counter.count))).collect())
}

/// What the kernel counts of the thread.
#[derive(Default)]
struct Usage {
    minor_faults: u64,
    involuntary_switches: u64,
}

impl Usage {
    fn now(machine: &dyn Machine) -> Self {
        Self { minor_faults: machine.minor_faults(), involuntary_switches: machine.involuntary_switches() }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::super::simulated::World;
    use super::*;
    use crate::experiment::source::SOURCE;

    struct Allocating(World, usize);

    impl Work for Allocating {
        fn once(&mut self, lap: &mut dyn FnMut()) -> Result<(), MeasureError> {
            drop(black_box(vec![0_u8; 7777]));
            lap();
            let kept = black_box(vec![0_u8; 4096]);
            for nanos in [500, 30].into_iter().take(self.1) {
                self.0.pass(nanos);
                lap();
            }
            drop(black_box(vec![0_u8; 9999]));
            drop(kept);
            Ok(())
        }
    }

    #[test]
    fn times_and_counters_are_of_what_is_between_the_laps() {
        let mut world = World::default();
        let values = timed(&mut Allocating(world.clone(), 2), &SOURCE, &mut world).unwrap();
        assert_eq!(values, [500, 30, 0, 0, 1, 4096, 4096]);
        assert_eq!(values.len(), SOURCE.values());
    }

    #[test]
    fn a_phase_that_is_missing_is_an_error_and_no_sample() {
        let mut world = World::default();
        let error = timed(&mut Allocating(world.clone(), 1), &SOURCE, &mut world).unwrap_err();
        assert!(matches!(error, MeasureError::Laps { found: 2, phases: 2, .. }), "{error}");
    }
}
