//! The timed part of each experiment: how one cycle of it is measured.

mod memory;

pub use memory::cycle;

use super::{Image, Machine, MeasureError};
use crate::experiment::{Experiment, MEMORY, Point, STRATEGIES};
use crate::runtime::LoadedContract;

/// Measures one cycle of a point and gives the experiment's values, in the order of [`Experiment::columns`].
pub(super) type Timed = fn(&Subject<'_>, &mut dyn Machine) -> Result<Vec<u64>, MeasureError>;

/// What is measured.
pub(super) struct Subject<'a> {
    pub(super) contract: &'a dyn LoadedContract,
    pub(super) point: &'a Point,
    /// What the reference probe beside it copies.
    pub(super) image: &'a Image,
    /// Marks that the contract is through and the probe begins.
    pub(super) marked: &'a dyn Fn(),
}

/// The timed part of each experiment.
const CYCLES: [(&Experiment, Timed); 2] = [(&MEMORY, memory::with_reference), (&STRATEGIES, memory::alone)];

/// That of an experiment.
pub(super) fn timed(experiment: &Experiment) -> Option<Timed> {
    CYCLES.iter().find(|(of, _)| *of == experiment).map(|&(_, timed)| timed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::EXPERIMENTS;

    #[test]
    fn every_experiment_has_a_timed_part() {
        assert!(EXPERIMENTS.into_iter().all(|experiment| timed(experiment).is_some()));
    }
}
