//! Points of modules that were made for an experiment, and what is counted beside a cycle of one.

use rayon::prelude::*;

use super::Choice;
use crate::contract::Artifact;
use crate::experiment::{Levels, Point};
use crate::measure::{Machine, PlannedPoint};

/// Each module of these contracts under each strategy, so often a round.
pub(super) fn points(
    choice: &Choice<'_>,
    contracts: &[&str],
    repeats: u32,
    levels: impl Fn(&Artifact) -> Levels + Sync,
) -> Vec<PlannedPoint> {
    let made = choice.artifacts.par_iter().filter(|artifact| contracts.contains(&&*artifact.contract));
    let levelled: Vec<(&Artifact, Levels)> = made.map(|artifact| (artifact, levels(artifact))).collect();
    let point = |(artifact, levels): &(&Artifact, Levels), strategy: &str| Point {
        contract: artifact.contract.clone(),
        variant: artifact.variant.clone(),
        strategy: strategy.to_owned(),
        levels: levels.clone(),
    };
    let under = |of| choice.strategies.iter().map(move |strategy| point(of, strategy));
    levelled.iter().flat_map(under).map(|point| PlannedPoint { point, repeats }).collect()
}

/// Minor page faults and preemptions so far.
pub(super) fn counted(machine: &dyn Machine) -> [u64; 2] {
    [machine.minor_faults(), machine.involuntary_switches()]
}

/// What came to them since.
pub(super) fn since(before: [u64; 2], machine: &dyn Machine) -> impl Iterator<Item = u64> {
    before.into_iter().zip(counted(machine)).map(|(before, after)| after.saturating_sub(before))
}
