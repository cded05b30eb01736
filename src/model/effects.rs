//! What the surroundings of a call, or another way of doing the same, add to a cost.

use serde::{Deserialize, Serialize};

use super::form::Costs;
use super::grid::Grid;
use super::points::PointFit;
use super::ranking::log;
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::{Factor, Levels, Point};
use crate::measure::Samples;

/// A point in surroundings that are not the usual ones, or where something is done in another way than the usual one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// What was measured there.
    pub fit: PointFit,
    /// Its cost over that of the same call with nothing beside it and after its like, or done in the usual way.
    pub ratio: Estimate,
    /// The factor that says which way is meant; `None` for surroundings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<String>,
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

/// Of each point that is not usual in one of these, the point that is and is the same otherwise.
struct Pair {
    met: usize,
    without: usize,
    compared: Option<&'static Factor>,
}

fn pairs(samples: &Samples) -> Vec<Pair> {
    let place = |wanted: &dyn Fn(&Point) -> bool| samples.points.iter().position(wanted);
    let mut pairs = Vec::new();
    for (met, point) in samples.points.iter().enumerate() {
        if !point.is_undisturbed() {
            let usual = point.in_usual_surroundings();
            pairs.extend(place(&|other| *other == usual).map(|without| Pair { met, without, compared: None }));
        }
    }
    for &factor in samples.experiment.compares {
        for (met, point) in samples.points.iter().enumerate().filter(|(_, of)| of.level(factor) != factor.usual) {
            let alike = |other: &Point| {
                other.level(factor) == factor.usual && other.apart_from(factor) == point.apart_from(factor)
            };
            pairs.extend(place(&alike).map(|without| Pair { met, without, compared: Some(factor) }));
        }
    }
    pairs
}

/// The ratio to the usual surroundings, or to the usual way, at every point that was measured in both, which are resampled together.
///
/// # Errors
/// [`ModelError`] if the samples allow no statistics.
pub fn effects(samples: &Samples, settings: &FitSettings) -> Result<Vec<Effect>, ModelError> {
    settings.check()?;
    let pairs = pairs(samples);
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let chosen: Vec<usize> = (0..samples.points.len()).collect();
    let grid = Grid::new(samples, &chosen)?;
    let costs = Costs::measured(&grid, settings, settings.resamples_for(samples.len()))?;
    let logs = |costs: &[f64]| pairs.iter().map(|of| log(costs[of.met]) - log(costs[of.without])).collect();
    let ratios = costs.bootstrap.estimates("ratio to the usual", logs)?;
    let each = costs.bootstrap.estimates("costs of the points", <[f64]>::to_vec)?;
    let effect = |(of, log): (&Pair, Estimate)| {
        let fit = PointFit::new(of.met, &grid, (&costs, each[of.met]), None)?;
        Ok(Effect { fit, ratio: log.exp(), compared: of.compared.map(|factor| factor.name.into()) })
    };
    pairs.iter().zip(ratios).map(effect).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::PROCESS;
    use crate::experiment::node::SPINNING_THREADS;
    use crate::experiment::source::{FILE_BYTES, READING, Reading, SOURCE};
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
    /// Reading once takes two thirds at either size; what is allocated is told with it.
    #[test]
    fn a_way_is_told_by_its_ratio_to_the_usual_one_at_each_size() {
        let mut samples = Samples::of(&SOURCE, Vec::new());
        for bytes in [1000, 50_000] {
            for (reading, cost, allocations) in [(Reading::Twice, 3 * bytes, 2), (Reading::Once, 2 * bytes, 1)] {
                let point = u32::try_from(samples.points.len()).unwrap();
                let variant = format!("{bytes}-{reading}");
                let at = Point { variant, strategy: "fresh-map".into(), ..Point::default() };
                samples.points.push(at.with(&READING, reading as u64).with(&FILE_BYTES, bytes));
                for turn in 0..20_u32 {
                    let place = Place { process: turn / 5, round: turn % 5, order: point, point };
                    let noise = u64::from(turn * 7 % 5) * cost / 200;
                    samples.push(place, &[cost + noise, 0, 0, 0, allocations, allocations * bytes, bytes]);
                }
            }
        }
        let effects = effects(&samples, &FitSettings::default()).unwrap();
        assert_eq!(effects.len(), 2);
        for effect in &effects {
            assert_eq!(effect.compared.as_deref(), Some("reading"));
            assert!((effect.ratio.value - 0.667).abs() < 0.02 && effect.ratio.high < 1.0, "{:?}", effect.ratio);
            let counted: Vec<u64> = effect.fit.counters.iter().map(|of| of.median).collect();
            let bytes = effect.fit.point.level(&FILE_BYTES);
            assert_eq!(counted, [0, 0, 1, bytes, bytes]);
        }
    }
}
