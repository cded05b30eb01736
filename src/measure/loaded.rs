//! What a point is measured with.

use std::cell::RefCell;
use std::sync::Arc;

use super::allocations::{Counting, as_if_nothing_was_freed};
use super::cycles::{Subject, checked, ready, timed};
use super::work::{self, Work};
use super::{Machine, MeasureError, Plan};
use crate::experiment::{Experiment, Point};
use crate::runtime::LoadedContract;

/// Loads the contract of a point.
pub type LoadOf<'a> = dyn Fn(&Point) -> Result<Box<dyn LoadedContract>, MeasureError> + 'a;

/// A contract, or what an experiment makes for itself.
pub(super) enum Loaded {
    Contract(Arc<dyn LoadedContract>),
    Work(RefCell<Box<dyn Work>>),
}

impl Loaded {
    /// For a point of the plan.
    ///
    /// # Errors
    /// The contract cannot be loaded, the work not be readied, or allocations not be counted.
    pub(super) fn new(plan: &Plan, point: &Point, load: &LoadOf<'_>) -> Result<Self, MeasureError> {
        let experiment = plan.experiment;
        if experiment.counters.iter().any(|counter| counter.count.is_of_allocator()) && !Counting::is_possible() {
            return Err(MeasureError::NotCounted { experiment: experiment.name });
        }
        Ok(match ready(experiment) {
            Some(ready) => {
                as_if_nothing_was_freed();
                Self::Work(RefCell::new(ready(plan, point)?))
            }
            None => Self::Contract(load(point)?.into()),
        })
    }

    /// Does it once, unmeasured, and makes sure that it does what is measured.
    ///
    /// # Errors
    /// It does not, or cannot be done.
    pub(super) fn check(&self, experiment: &Experiment, point: &Point) -> Result<(), MeasureError> {
        match self {
            Self::Work(work) => work.borrow_mut().once(&mut || {}),
            Self::Contract(contract) => {
                let check = checked(experiment).ok_or(MeasureError::NoCycle { experiment: experiment.name })?;
                check(contract.as_ref(), point)
            }
        }
    }

    /// Measures one cycle: the experiment's values but for the reference probe.
    ///
    /// # Errors
    /// It cannot be done.
    pub(super) fn timed(
        &self,
        experiment: &Experiment,
        point: &Point,
        machine: &mut dyn Machine,
    ) -> Result<Vec<u64>, MeasureError> {
        match self {
            Self::Work(work) => work::timed(work.borrow_mut().as_mut(), experiment, machine),
            Self::Contract(contract) => {
                let timed = timed(experiment).ok_or(MeasureError::NoCycle { experiment: experiment.name })?;
                timed(&Subject { contract: contract.as_ref(), point }, machine)
            }
        }
    }
}
