//! How each experiment is carried out: its points, and how one cycle of it is timed.

mod made;

pub use memory::cycle;

use super::work::Work;
use super::{Machine, MeasureError, Plan, PlannedPoint};
use crate::contract::{Artifact, ContractError, Limits, reads_levels};
use crate::experiment::{Experiment, Levels, Point};
use crate::runtime::LoadedContract;
use crate::units::Pages;

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
    /// Whether what is measured is done to the module itself, and not to what was compiled of it.
    pub(super) brings: bool,
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
    /// How large a memory these let become.
    pub pages_max: Pages,
}

listed! {
    /// Every experiment's.
    static PROCEDURES: &Procedure =
        memory::PROCEDURE,
        strategies::PROCEDURE,
        process::PROCEDURE,
        load::LOAD + LOAD_COLD + LOAD_MEMORY + LOAD_KEPT,
        deploy::VALIDATE + CRANELIFT + WINCH,
}

/// An experiment on something other than calls of contracts.
pub(super) struct WorkProcedure {
    pub(super) of: &'static Experiment,
    pub(super) points: fn(&Choice<'_>) -> Vec<PlannedPoint>,
    pub(super) ready: Ready,
}

/// Makes ready what is measured at a point.
pub(super) type Ready = fn(&Plan, &Point) -> Result<Box<dyn Work>, MeasureError>;

listed! {
    /// Every one of these.
    static WORKS: &WorkProcedure =
        source::WORK,
        cache::WORK,
        payload::WORK,
        stack::WORK,
}

fn work(experiment: &Experiment) -> Option<&'static WorkProcedure> {
    WORKS.into_iter().find(|work| work.of == experiment)
}

/// What makes ready what an experiment measures at a point, if that is no call of a contract.
pub(super) fn ready(experiment: &Experiment) -> Option<Ready> {
    work(experiment).map(|work| work.ready)
}

/// A point of an experiment that measures something other than calls: what it varies, under the strategy of the chain's nodes.
fn point(choice: &Choice<'_>, experiment: &Experiment, variant: String, levels: Levels) -> Point {
    Point { contract: experiment.name.into(), variant, strategy: choice.chain_strategy.into(), levels }
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

/// What a real contract is tried by before it is measured; `None` where it is tried as a memory.
pub(super) fn tried(experiment: &Experiment) -> Option<Checked> {
    procedure(experiment).filter(|_| reads_levels(experiment)).map(|procedure| procedure.check)
}

/// Whether an experiment needs the module itself beside what was compiled of it.
pub(super) fn brings(experiment: &Experiment) -> bool {
    procedure(experiment).is_some_and(|procedure| procedure.brings)
}

/// The modules that an experiment makes for itself, none where it measures something else; `None` if it measures the contracts that were
/// chosen.
#[must_use]
pub fn modules_of(experiment: &Experiment, limits: Limits) -> Option<Result<Vec<Artifact>, ContractError>> {
    if work(experiment).is_some() {
        return Some(Ok(Vec::new()));
    }
    procedure(experiment)?.modules.map(|make| make(limits))
}

/// The points at which an experiment measures what was chosen; none if its contracts are not among the artifacts.
#[must_use]
pub fn points_of(experiment: &Experiment, choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let points = procedure(experiment).map(|procedure| procedure.points);
    points.or_else(|| Some(work(experiment)?.points)).map_or_else(Vec::new, |points| points(choice))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::EXPERIMENTS;

    #[test]
    fn every_experiment_can_be_carried_out() {
        assert!(
            EXPERIMENTS.into_iter().all(|experiment| procedure(experiment).is_some() != work(experiment).is_some())
        );
    }
}
