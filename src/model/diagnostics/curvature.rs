//! Are the costs curved, and what does charging them by one straight line cost?

use serde::{Deserialize, Serialize};

use super::{Answer, PRACTICAL};
use crate::experiment::Point;
use crate::model::bootstrap::Bootstrap;
use crate::model::design::Design;
use crate::model::line::{Residual, unconstrained, worst};
use crate::model::{Estimate, ModelError};
use crate::units::Pages;

/// The best line of two pieces beside the straight one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curvature {
    /// Pages at which the two pieces meet: the level with the smallest sum of squared relative errors.
    pub breakpoint: Pages,
    /// Cost of a call whatever its pages, in nanoseconds.
    pub base: Estimate,
    /// Cost of each page up to the breakpoint.
    pub below: Estimate,
    /// Cost of each page beyond it.
    pub above: Estimate,
    /// `above / below − 1`: positive is convex, so that large memories cost more a page. The breakpoint is taken as given.
    pub bend: Estimate,
    /// Whether the bend is real and of practical size.
    pub curved: Answer,
    /// The point that the two-piece line misses most.
    pub worst: Residual,
}

impl Curvature {
    /// `None` with fewer than 4 page levels, where two pieces leave nothing to check.
    pub(crate) fn new(design: &Design, points: &[&Point], bootstrap: &Bootstrap) -> Result<Option<Self>, ModelError> {
        let levels = design.leading_levels(points);
        if levels.len() < 4 || design.rows.len() < design.factors.len() + 2 {
            return Ok(None);
        }
        let observed = &bootstrap.observed;
        let squares = |hinged: &Design| {
            let line = unconstrained(hinged, observed);
            let errors =
                hinged.predict(&line).zip(&hinged.rows).map(|(cost, &row)| (cost / observed[row] - 1.0).powi(2));
            errors.sum::<f64>()
        };
        // A break after the first or before the last level would leave a piece of a single point.
        let inner = levels.iter().skip(1).take(levels.len() - 2);
        let candidates = inner.map(|&level| (level, hinged(design, points, level)));
        let scored = candidates.map(|(level, hinged)| (squares(&hinged), level, hinged));
        let Some((_, breakpoint, hinged)) = scored.min_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(None) };
        let last = hinged.factors.len() - 1;
        let estimates = bootstrap.estimates("two-piece line", |costs| {
            let line = unconstrained(&hinged, costs);
            vec![line[0], line[1], line[1] + line[last], line[last] / line[1]]
        })?;
        let line = unconstrained(&hinged, observed);
        Ok(Some(Self {
            breakpoint: Pages(u32::try_from(breakpoint).unwrap_or(u32::MAX)),
            base: estimates[0],
            below: estimates[1],
            above: estimates[2],
            bend: estimates[3],
            curved: Answer::about(estimates[3], PRACTICAL),
            worst: worst(&hinged, &line, points, observed),
        }))
    }
}

/// The design with the pages beyond a breakpoint as one more factor.
#[expect(clippy::cast_precision_loss, reason = "levels are far below 2^53")]
fn hinged(design: &Design, points: &[&Point], breakpoint: u64) -> Design {
    let mut hinged = design.clone();
    let leading = design.factors[1];
    hinged.factors.push(leading);
    for (levels, &row) in hinged.levels.iter_mut().zip(&design.rows) {
        levels.push((leading.level(points[row]) - breakpoint as f64).max(0.0));
    }
    hinged
}
