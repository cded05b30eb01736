//! Are the costs curved, and what does charging them by one straight line cost?

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Answer, PRACTICAL};
use crate::experiment::Point;
use crate::model::bootstrap::Bootstrap;
use crate::model::design::{Design, Factor};
use crate::model::line::{Residual, unconstrained, worst};
use crate::model::{Covering, Estimate, ModelError};
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
    /// The largest overcharge of the straight covering line, relative to the two-piece cost of the point: the size of the error
    /// that the straight line causes in the charge.
    pub charge_error: Residual,
}

impl Curvature {
    /// `None` with fewer than 4 page levels, where two pieces leave nothing to check.
    pub(crate) fn new(
        design: &Design,
        points: &[&Point],
        bootstrap: &Bootstrap,
        covering: &Covering,
    ) -> Result<Option<Self>, ModelError> {
        let levels: BTreeSet<Pages> = design.rows.iter().map(|&row| points[row].initial_pages()).collect();
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
        let candidates = inner.map(|&pages| (pages, hinged(design, points, pages)));
        let scored = candidates.map(|(pages, hinged)| (squares(&hinged), pages, hinged));
        let Some((_, breakpoint, hinged)) = scored.min_by(|a, b| a.0.total_cmp(&b.0)) else { return Ok(None) };
        let last = hinged.factors.len() - 1;
        let estimates = bootstrap.estimates("two-piece line", |costs| {
            let line = unconstrained(&hinged, costs);
            vec![line[0], line[1], line[1] + line[last], line[last] / line[1]]
        })?;
        let line = unconstrained(&hinged, observed);
        let overcharge = |(cost, &row): (f64, &usize)| (covering.charge(points[row]) / cost - 1.0, row);
        let charge_error = hinged.predict(&line).zip(&hinged.rows).map(overcharge).max_by(|a, b| a.0.total_cmp(&b.0));
        let (relative, row) = charge_error.unwrap_or_default();
        Ok(Some(Self {
            breakpoint,
            base: estimates[0],
            below: estimates[1],
            above: estimates[2],
            bend: estimates[3],
            curved: Answer::about(estimates[3], PRACTICAL),
            worst: worst(&hinged, &line, points, observed),
            charge_error: Residual { point: points[row].label(), relative },
        }))
    }
}

/// The design with the pages beyond a breakpoint as one more factor.
fn hinged(design: &Design, points: &[&Point], breakpoint: Pages) -> Design {
    let mut hinged = design.clone();
    hinged.factors.push(Factor::Page);
    for (levels, &row) in hinged.levels.iter_mut().zip(&design.rows) {
        levels.push((Factor::Page.level(points[row]) - f64::from(breakpoint.0)).max(0.0));
    }
    hinged
}
