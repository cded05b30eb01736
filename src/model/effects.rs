//! What the surroundings of a call add to its cost.

use serde::{Deserialize, Serialize};

use super::form::Costs;
use super::grid::Grid;
use super::points::PointFit;
use super::ranking::log;
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::{Levels, Point};
use crate::measure::Samples;

/// A point in surroundings that are not the usual ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// What was measured there.
    pub fit: PointFit,
    /// Its cost over that of the same call with nothing beside it and after its like.
    pub ratio: Estimate,
}

impl Effect {
    /// What is not usual.
    #[must_use]
    pub fn surroundings(&self) -> Levels {
        self.fit.point.levels.surroundings()
    }

    /// Whether it costs more than the usual, as far as can be told.
    #[must_use]
    pub fn is_dearer(&self) -> bool {
        self.ratio.low > 1.0
    }
}

/// The ratio to the usual surroundings at every point that was measured in both, which are resampled together.
///
/// # Errors
/// [`ModelError`] if the samples allow no statistics.
pub fn effects(samples: &Samples, settings: &FitSettings) -> Result<Vec<Effect>, ModelError> {
    settings.check()?;
    let place = |wanted: &Point| samples.points.iter().position(|point| point == wanted);
    let (met, without): (Vec<usize>, Vec<usize>) = (samples.points.iter().enumerate())
        .filter(|(_, point)| !point.is_undisturbed())
        .filter_map(|(at, point)| Some((at, place(&point.in_usual_surroundings())?)))
        .unzip();
    if met.is_empty() {
        return Ok(Vec::new());
    }
    let chosen: Vec<usize> = (0..samples.points.len()).collect();
    let grid = Grid::new(samples, &chosen)?;
    let costs = Costs::measured(&grid, settings, settings.resamples_for(samples.len()))?;
    let logs = |costs: &[f64]| {
        met.iter().zip(&without).map(|(&met, &without)| log(costs[met]) - log(costs[without])).collect()
    };
    let ratios = costs.bootstrap.estimates("ratio to the usual surroundings", logs)?;
    let each = costs.bootstrap.estimates("costs of the points", <[f64]>::to_vec)?;
    let effect = |(&at, log): (&usize, Estimate)| {
        Ok(Effect { fit: PointFit::new(at, &grid, (&costs, each[at]), None)?, ratio: log.exp() })
    };
    met.iter().zip(ratios).map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::PROCESS;
    use crate::experiment::node::SPINNING_THREADS;
    use crate::measure::Place;
    use crate::units::Pages;

    /// Four processes of five rounds; a spinning thread makes one page dearer by half and leaves 17 as they are.
    #[test]
    fn a_property_is_told_by_its_ratio_at_each_size() {
        let mut samples = Samples::of(&PROCESS, Vec::new());
        for (pages, cost) in [(1, 1000), (17, 9000)] {
            for (beside, added) in [(0, 0), (1, if pages == 1 { 500 } else { 0 })] {
                let point = u32::try_from(samples.points.len()).unwrap();
                let at = Point::of_memory("touch-memory", &format!("pages{pages}"), "fresh-map", Pages(pages));
                samples.points.push(at.with(&SPINNING_THREADS, beside));
                for turn in 0..20_u32 {
                    let place = Place { process: turn / 5, round: turn % 5, order: point, point };
                    let noise = u64::from(turn * 7 % 5) * cost / 200;
                    samples.push(place, &[0, cost + added + noise, 0, 0, 16, 0]);
                }
            }
        }
        let effects = effects(&samples, &FitSettings::default()).unwrap();
        assert_eq!(effects.len(), 2);
        assert!((effects[0].ratio.value - 1.5).abs() < 0.02 && effects[0].is_dearer(), "{:?}", effects[0].ratio);
        assert!(effects[1].ratio.holds(1.0) && !effects[1].is_dearer(), "{:?}", effects[1].ratio);
    }
}
