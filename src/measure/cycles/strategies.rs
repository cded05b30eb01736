use super::{Procedure, memory};
use crate::experiment::STRATEGIES;
use crate::measure::ladder::ladder;

pub(super) const PROCEDURE: Procedure = Procedure {
    of: &STRATEGIES,
    points: |choice| ladder(choice.artifacts, choice.strategies, choice.threads),
    ..memory::PROCEDURE
};
