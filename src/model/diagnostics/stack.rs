//! Does stack size cost anything beyond the pages it adds?

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::measure::DesignPoint;
use crate::model::bootstrap::Bootstrap;
use crate::model::design::{CONDITION_COLLINEAR, CONDITION_DOUBTFUL, Design, Factor};
use crate::model::line::unconstrained;
use crate::model::{Estimate, ModelError};
use crate::units::Bytes;

/// Smallest share of a point's cost that is of practical interest. Effects below it count as none.
pub const PRACTICAL: f64 = 0.01;

/// Whether something has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The whole interval is beyond what is of practical interest.
    Yes,
    /// The whole interval is within it.
    No,
    /// Neither: measure longer.
    Unsure,
}

impl Answer {
    /// The answer for a relative effect that is of interest beyond ±`threshold`.
    pub(crate) fn about(effect: Estimate, threshold: f64) -> Self {
        if effect.low > threshold || effect.high < -threshold {
            Self::Yes
        } else if effect.low >= -threshold && effect.high <= threshold {
            Self::No
        } else {
            Self::Unsure
        }
    }
}

/// The effect of stack size given the pages, from the relative fit with stack as one more factor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackEffect {
    /// Nanoseconds for each 64 KiB of stack, at the same pages. It can be negative.
    pub per_64_kib: Estimate,
    /// The largest effect on a point relative to its cost: the coefficient times the point's stack, over its cost.
    pub relative: Estimate,
    /// Condition number of the design with the stack in it.
    pub condition: f64,
    /// Whether stack size has an effect of its own above [`PRACTICAL`]. Unsure whenever stack and pages are too nearly
    /// collinear.
    pub answer: Answer,
}

/// What the samples say about the effect of stack size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum StackTest {
    /// The effect was estimated.
    Tested(StackEffect),
    /// All points have the same stack.
    Constant,
    /// The points are too few for one more coefficient.
    TooFewPoints,
    /// Stack size moves together with these factors: their effects cannot be told apart.
    Collinear {
        /// The factors, stack among them.
        factors: Vec<Factor>,
        /// Condition number of the design with the stack in it.
        condition: f64,
    },
}

impl StackTest {
    pub(crate) fn new(design: &Design, points: &[&DesignPoint], bootstrap: &Bootstrap) -> Result<Self, ModelError> {
        let observed = &bootstrap.observed;
        let stacks: BTreeSet<Bytes> = design.rows.iter().map(|&row| points[row].stack_bytes).collect();
        if stacks.len() < 2 {
            return Ok(Self::Constant);
        }
        if design.rows.len() <= design.factors.len() + 1 {
            return Ok(Self::TooFewPoints);
        }
        let design = design.with(Factor::Stack, points);
        let (condition, factors) = design.condition(observed);
        if condition > CONDITION_COLLINEAR {
            return Ok(Self::Collinear { factors, condition });
        }
        let last = design.factors.len() - 1;
        let per_64_kib = bootstrap.estimate("effect of the stack", |costs| unconstrained(&design, costs)[last])?;
        let share = design.rows.iter().map(|&row| Factor::Stack.level(points[row]) / observed[row]).fold(0.0, f64::max);
        let relative = per_64_kib.scaled(share);
        let answer = if condition > CONDITION_DOUBTFUL { Answer::Unsure } else { Answer::about(relative, PRACTICAL) };
        Ok(Self::Tested(StackEffect { per_64_kib, relative, condition, answer }))
    }
}
