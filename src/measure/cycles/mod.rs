//! How each experiment is carried out: its points, and how one cycle of it is timed.

pub use memory::cycle;

use super::{Machine, MeasureError, PlannedPoint};
use crate::contract::{Artifact, ContractError, Limits};
use crate::experiment::{Experiment, Levels, Point};
use crate::runtime::LoadedContract;

/// Measures one cycle of a point and gives the experiment's values but for the reference probe, in the order of
/// [`Experiment::columns`].
pub(super) type Timed = fn(&Subject<'_>, &mut dyn Machine) -> Result<Vec<u64>, MeasureError>;

/// What is measured.
pub(super) struct Subject<'a> {
    pub(super) contract: &'a dyn LoadedContract,
    pub(super) point: &'a Point,
}

/// How an experiment is carried out.
pub(super) struct Procedure {
    pub(super) of: &'static Experiment,
    pub(super) timed: Timed,
    pub(super) points: fn(&Choice<'_>) -> Vec<PlannedPoint>,
    /// Runs a point once, unmeasured, and makes sure that it does what is measured.
    pub(super) check: Checked,
    /// Makes the modules that it measures; `None` for those of the contracts that were chosen.
    pub(super) modules: Option<Modules>,
}

/// Runs a point once, unmeasured, and makes sure that it does what is measured.
pub(super) type Checked = fn(&dyn LoadedContract, &Point) -> Result<(), MeasureError>;

/// Makes modules that a chain allows.
type Modules = fn(Limits) -> Result<Vec<Artifact>, ContractError>;

/// What points are made of.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// The compiled contracts.
    pub artifacts: &'a [Artifact],
    /// Names of the strategies to measure.
    pub strategies: &'a [&'a str],
    /// The strategy of the chain's nodes, one of them.
    pub chain_strategy: &'a str,
    /// Threads that may run a cycle at once.
    pub threads: u32,
    /// The process that calls meet on the chain's nodes.
    pub node: &'a Levels,
}

listed! {
    /// Every experiment's.
    static PROCEDURES: &Procedure =
        memory::PROCEDURE,
        strategies::PROCEDURE,
        process::PROCEDURE,
        load::PROCEDURE,
}

fn procedure(experiment: &Experiment) -> Option<&'static Procedure> {
    PROCEDURES.into_iter().find(|procedure| procedure.of == experiment)
}

/// The timed part of an experiment.
pub(super) fn timed(experiment: &Experiment) -> Option<Timed> {
    procedure(experiment).map(|procedure| procedure.timed)
}

/// What a point of an experiment is checked by before it is measured.
pub(super) fn checked(experiment: &Experiment) -> Option<Checked> {
    procedure(experiment).map(|procedure| procedure.check)
}

/// The modules that an experiment makes for itself; `None` if it measures the contracts that were chosen.
#[must_use]
pub fn modules_of(experiment: &Experiment, limits: Limits) -> Option<Result<Vec<Artifact>, ContractError>> {
    procedure(experiment)?.modules.map(|make| make(limits))
}

/// The points at which an experiment measures what was chosen; none if its contracts are not among the artifacts.
#[must_use]
pub fn points_of(experiment: &Experiment, choice: &Choice<'_>) -> Vec<PlannedPoint> {
    procedure(experiment).map_or_else(Vec::new, |procedure| (procedure.points)(choice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::EXPERIMENTS;

    #[test]
    fn every_experiment_can_be_carried_out() {
        assert!(EXPERIMENTS.into_iter().all(|experiment| procedure(experiment).is_some()));
    }
}
