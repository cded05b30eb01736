//! Does stack size cost anything beyond the pages it adds?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::experiment::{Experiment, Factor, Point};
use crate::model::bootstrap::Bootstrap;
use crate::model::{Estimate, ModelError};
use crate::units::WASM_PAGE;

/// Smallest share of a cost that is of practical interest, the default threshold of comparisons. Effects below count as none.
pub const PRACTICAL: f64 = 0.02;

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

/// The effect of stack size given the pages, from points that differ in nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackEffect {
    /// Nanoseconds for each 64 KiB of stack, at the same pages. It can be negative.
    pub per_64_kib: Estimate,
    /// The largest effect on a point relative to its cost: the coefficient times the point's stack, over its cost.
    pub relative: Estimate,
    /// Groups of points that differ in their stack alone.
    pub groups: usize,
    /// Whether stack size has an effect of its own above [`PRACTICAL`].
    pub answer: Answer,
}

/// What the samples say about the effect of stack size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum StackTest {
    /// The effect was estimated.
    Tested(StackEffect),
    /// No two points differ in their stack alone: stack size is constant, or moves together with another factor.
    NotCrossed,
}

impl StackTest {
    /// Least squares of relative errors within groups of points that differ in their stack alone (fixed effects for the
    /// groups), so that neither curvature nor data can pass for an effect of the stack.
    pub(crate) fn new(experiment: &Experiment, points: &[&Point], bootstrap: &Bootstrap) -> Result<Self, ModelError> {
        let Some(control) = experiment.control else { return Ok(Self::NotCrossed) };
        let stack = |row: usize| level(control, points[row]);
        let groups = differing(points, control);
        if groups.is_empty() {
            return Ok(Self::NotCrossed);
        }
        let per_64_kib = bootstrap.estimate("effect of the stack", |costs| {
            let (products, squares) = groups.iter().fold((0.0, 0.0), |sums, rows| {
                let (middle, level) = (mean(rows, stack), mean(rows, |row| costs[row]));
                let weight = level.powi(-2);
                rows.iter().fold(sums, |(products, squares), &row| {
                    let off = stack(row) - middle;
                    (products + weight * off * (costs[row] - level), squares + weight * off * off)
                })
            });
            products / squares
        })?;
        let share = groups.iter().flatten().map(|&row| stack(row) / bootstrap.observed[row]).fold(0.0, f64::max);
        let relative = per_64_kib.scaled(share);
        Ok(Self::Tested(StackEffect {
            per_64_kib,
            relative,
            groups: groups.len(),
            answer: Answer::about(relative, PRACTICAL),
        }))
    }
}

/// Rows of points that differ in this factor alone, in groups of several levels.
pub(crate) fn differing(points: &[&Point], factor: &'static Factor) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Point, Vec<usize>> = BTreeMap::new();
    for (row, point) in points.iter().enumerate() {
        groups.entry(point.apart_from(factor)).or_default().push(row);
    }
    let several =
        |rows: &Vec<usize>| rows.iter().any(|&row| points[row].level(factor) != points[rows[0]].level(factor));
    groups.into_values().filter(several).collect()
}

/// The level of a factor of bytes in 64 KiB.
#[expect(clippy::cast_precision_loss, reason = "a memory is below 2^53 bytes")]
fn level(factor: &'static Factor, point: &Point) -> f64 {
    point.level(factor) as f64 / WASM_PAGE as f64
}

#[expect(clippy::cast_precision_loss, reason = "a count of design points")]
fn mean(rows: &[usize], value: impl Fn(usize) -> f64) -> f64 {
    rows.iter().map(|&row| value(row)).sum::<f64>() / rows.len() as f64
}
