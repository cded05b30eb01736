//! What a tenant's cost inherits from the tenant before.

use serde::{Deserialize, Serialize};

use super::form::Costs;
use super::grid::Grid;
use super::ranking::log;
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::conditions::PREVIOUS;
use crate::experiment::{Point, Previous};
use crate::measure::Samples;

/// The cost of one point after a tenant that dirtied all of its memory over the cost after one that wrote nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inherited {
    /// The point, after the clean tenant.
    pub point: Point,
    /// Dirty over clean: 1 if it inherits nothing.
    pub ratio: Estimate,
}

/// The ratio at every point that was measured after both, which are resampled together.
///
/// # Errors
/// [`ModelError`] if the samples allow no statistics.
pub fn inherited(samples: &Samples, settings: &FitSettings) -> Result<Vec<Inherited>, ModelError> {
    settings.check()?;
    let (chosen, dirty): (Vec<usize>, Vec<usize>) = (samples.points.iter().enumerate())
        .filter(|(_, point)| point.previous() == Previous::Clean)
        .filter_map(|(clean, point)| {
            let dirty = point.clone().with(&PREVIOUS, Previous::Dirty as u64);
            Some((clean, samples.points.iter().position(|other| *other == dirty)?))
        })
        .unzip();
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let count = chosen.len();
    let grid = Grid::new(samples, &chosen.into_iter().chain(dirty).collect::<Vec<_>>())?;
    let costs = Costs::measured(&grid, settings, settings.resamples_for(samples.len()))?;
    let logs = |costs: &[f64]| (0..count).map(|at| log(costs[at + count]) - log(costs[at])).collect();
    let ratios = costs.bootstrap.estimates("ratio of costs after a dirty and a clean tenant", logs)?;
    let inherited = |(&point, log): (&&Point, Estimate)| Inherited { point: point.clone(), ratio: log.exp() };
    Ok(grid.points[..count].iter().zip(ratios).map(inherited).collect())
}
