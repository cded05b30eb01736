//! Measured costs held against what a table charges for them.

use serde::{Deserialize, Serialize};

use super::form::Costs;
use super::grid::Grid;
use super::points::PointFit;
use super::{Estimate, FitSettings, ModelError};
use crate::measure::Samples;

/// A point's cost beside its charge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChargedPoint {
    /// What was measured.
    pub fit: PointFit,
    /// What the table charges, in nanoseconds before the safety factor.
    pub charge: f64,
    /// Cost over charge.
    pub used: Estimate,
    /// How the two compare.
    pub verdict: ChargeVerdict,
}

/// Whether a charge covers a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChargeVerdict {
    /// The whole interval of the cost is within the charge.
    Covered,
    /// The charge lies within the interval.
    Unsure,
    /// The whole interval is above the charge.
    Over,
}

/// Costs of many points beside their charges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Charged {
    /// The points, in the order of the samples.
    pub points: Vec<ChargedPoint>,
    /// Slope of measured on predicted through the origin with relative weights, which is the mean of cost over charge.
    pub slope: Estimate,
    /// The same in normalised form, which a machine that is faster or slower as a whole than when the table was measured does not
    /// move; `None` without probes or without normalised charges.
    pub normalised: Option<Estimate>,
}

/// What a table charges for each point, in nanoseconds before the safety factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Charges {
    /// As measured.
    pub absolute: Vec<f64>,
    /// In normalised form, if the table has it.
    pub normalised: Option<Vec<f64>>,
}

/// Holds measured points of one strategy against their charges.
///
/// # Errors
/// [`ModelError`] if the samples or settings allow no statistics.
pub fn charged(samples: &Samples, charges: &Charges, settings: &FitSettings) -> Result<Charged, ModelError> {
    settings.check()?;
    let chosen: Vec<usize> = (0..samples.points.len()).collect();
    let grid = Grid::new(samples, &chosen)?;
    let resamples = settings.resamples_for(samples.len());
    let absolute = Costs::absolute(&grid, settings, resamples)?;
    let normalised = Costs::normalised(&grid, settings, resamples)?;
    let costs = absolute.bootstrap.estimates("costs of the contracts", <[f64]>::to_vec)?;
    let normal_costs = match &normalised {
        Some(form) => Some(form.bootstrap.estimates("normalised costs of the contracts", <[f64]>::to_vec)?),
        None => None,
    };
    let points = costs
        .into_iter()
        .zip(&charges.absolute)
        .enumerate()
        .map(|(at, (cost, &charge))| {
            let used = cost.scaled(1.0 / charge);
            let fit = PointFit::new(at, &grid, &absolute, cost, normal_costs.as_ref().map(|costs| costs[at]))?;
            Ok(ChargedPoint { fit, charge, used, verdict: verdict(used) })
        })
        .collect::<Result<_, ModelError>>()?;
    Ok(Charged {
        points,
        slope: slope(&absolute, &charges.absolute)?,
        normalised: match (&normalised, &charges.normalised) {
            (Some(form), Some(charges)) => Some(slope(form, charges)?),
            _ => None,
        },
    })
}

fn verdict(used: Estimate) -> ChargeVerdict {
    if used.low > 1.0 {
        ChargeVerdict::Over
    } else if used.high > 1.0 {
        ChargeVerdict::Unsure
    } else {
        ChargeVerdict::Covered
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of contracts")]
fn slope(costs: &Costs, charges: &[f64]) -> Result<Estimate, ModelError> {
    costs.bootstrap.estimate("slope of measured on predicted", |costs| {
        costs.iter().zip(charges).map(|(cost, charge)| cost / charge).sum::<f64>() / costs.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{MEMORY, Point};
    use crate::measure::Place;
    use crate::units::Pages;

    /// Two contracts of 1000 and 2000 ns, four processes that differ by up to ±1 %, five rounds.
    fn samples() -> Samples {
        let point = |name: &str| Point::of_memory(name, "", "fresh-map", Pages(1));
        let mut samples = Samples::of(&MEMORY, vec![point("a"), point("b")]);
        for process in 0..4 {
            for (round, point) in (0..5).flat_map(|round| (0..2).map(move |point| (round, point))) {
                let touch = u64::from(point + 1) * (1000 + [0, 10, 20, 10][process as usize] - 10);
                samples.push(Place { process, round, order: point, point }, &[0, touch, 0, 0, 55_000, 16]);
            }
        }
        samples
    }

    fn held(charges: [f64; 2]) -> Charged {
        let charges = Charges { absolute: charges.into(), normalised: Some(charges.into()) };
        charged(&samples(), &charges, &FitSettings { resamples: Some(200), ..FitSettings::default() }).unwrap()
    }

    #[test]
    fn a_charge_above_below_and_within_the_interval() {
        use ChargeVerdict::{Covered, Over, Unsure};
        for (charges, verdicts) in [
            ([1200.0, 2400.0], [Covered, Covered]),
            ([800.0, 2400.0], [Over, Covered]),
            ([1001.0, 1600.0], [Unsure, Over]),
        ] {
            let found: Vec<_> = held(charges).points.iter().map(|point| point.verdict).collect();
            assert_eq!(found, verdicts, "{charges:?}");
        }
    }

    #[test]
    fn the_slope_is_the_mean_share_that_is_used() {
        let held = held([1250.0, 2500.0]);
        assert!((held.slope.value - 0.8).abs() < 1e-9 && held.slope.holds(0.8));
        assert!((held.points[0].used.value - 0.8).abs() < 1e-9);
        assert!(held.normalised.unwrap().holds(0.8), "the probe takes its nominal time");
    }
}
