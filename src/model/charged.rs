//! Measured costs held against what a table charges for them.

use serde::{Deserialize, Serialize};

use super::band::{from_log, reach, run_to_run};
use super::classes::{Of, Resampled, classes};
use super::form::Costs;
use super::grid::Grid;
use super::points::PointFit;
use super::{Estimate, FitSettings, ModelError, Reference};
use crate::measure::Samples;

/// A point's cost beside its charge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChargedPoint {
    /// What was measured.
    pub fit: PointFit,
    /// What the table charges, in nanoseconds on the reference machine before the safety factor.
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
    /// The same by time as measured, which a machine that is faster or slower than the reference moves; `None` without probes.
    pub measured: Option<Estimate>,
}

/// Holds measured points of one strategy against their charges, in nanoseconds on the reference machine before the safety factor.
///
/// A slow hour makes a point slow and its probe alike, and is no fault of a charge: costs are stated on the machine that the
/// charges are. The intervals hold what moves between runs as well, as the charges come from another one.
///
/// # Errors
/// [`ModelError`] if the samples or settings allow no statistics.
pub fn charged(
    samples: &Samples,
    charges: &[f64],
    reference: &Reference,
    settings: &FitSettings,
) -> Result<Charged, ModelError> {
    settings.check()?;
    let chosen: Vec<usize> = (0..samples.points.len()).collect();
    let grid = Grid::new(samples, &chosen)?;
    let resamples = settings.resamples_for(samples.len());
    let measured = Costs::measured(&grid, settings, resamples)?;
    let times = measured.bootstrap.estimates("costs of the contracts", <[f64]>::to_vec)?;
    let on_reference = match grid.probe().zip(grid.experiment.reference.as_ref()) {
        Some((place, probe)) => {
            let nanos: Vec<f64> = grid.points.iter().map(|point| reference.of_point(probe, point)).collect();
            let costs = Costs::on_reference(&grid, settings, resamples, place, &nanos)?;
            let estimates = costs.bootstrap.estimates("costs of the contracts", <[f64]>::to_vec)?;
            Some((costs, estimates, nanos))
        }
        None => None,
    };
    let figures = if grid.experiment.by_size.is_some() {
        on_reference.as_ref().map(|(_, _, nanos)| figures(&grid, nanos, settings, resamples)).transpose()?
    } else {
        None
    };
    let points = (0..grid.points.len())
        .map(|at| {
            let stated = on_reference.as_ref().map(|(_, estimates, nanos)| (estimates[at], nanos[at]));
            let mut fit = PointFit::new(at, &grid, (&measured, times[at]), stated)?;
            if let Some(figures) = &figures {
                fit.cost = figures[at];
            }
            let between_runs = run_to_run(fit.point.touched_pages().0);
            let used = between(fit.cost, between_runs, settings.confidence).scaled(1.0 / charges[at]);
            Ok(ChargedPoint { fit, charge: charges[at], used, verdict: verdict(used) })
        })
        .collect::<Result<_, ModelError>>()?;
    let by_time = slope(&measured, charges)?;
    Ok(match on_reference {
        Some((costs, ..)) => Charged { points, slope: slope(&costs, charges)?, measured: Some(by_time) },
        None => Charged { points, slope: by_time, measured: None },
    })
}

/// The costs of the points on the reference machine, each the figure that a charge is made of where points are classes by themselves.
///
/// What a load leaves in the shared cache slows the probe after it, the more the larger it is: the single quotients of small modules and of large
/// ones, and of two sets of modules, are not of one kind. Those of a cost and the probes beside all are.
fn figures(
    grid: &Grid<'_>,
    nanos: &[f64],
    settings: &FitSettings,
    resamples: u32,
) -> Result<Vec<Estimate>, ModelError> {
    let Some(place) = grid.probe() else { return Err(ModelError::NotFinite { what: "costs over probes" }) };
    let classes = classes(grid.experiment, &grid.points);
    let ratios = Resampled::new(grid, &classes, Of::Ratio(place), settings, resamples)?;
    let errors = ratios.errors();
    let mut costs = vec![Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN }; grid.points.len()];
    for (at, class) in classes.iter().enumerate() {
        let half_width = reach(errors[at], ratios.freedom, 0.0, settings.confidence);
        for &row in &class.rows {
            costs[row] = from_log(ratios.logs[at], half_width).scaled(nanos[row]);
        }
    }
    Ok(costs)
}

/// An estimate with what moves between runs in its interval.
fn between(cost: Estimate, deviation: f64, confidence: f64) -> Estimate {
    let own = cost.relative_half_width();
    let half_width = own.hypot(reach(0.0, 1.0, deviation, confidence));
    Estimate::around(cost.value, cost.value.abs() * half_width)
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
                samples.push(Place { process, round, order: point, point }, &[0, touch, 0, 0, 55_000, 16, 0]);
            }
        }
        samples
    }

    fn held(charges: [f64; 2]) -> Charged {
        let samples = samples();
        let own = Reference::of_run(&samples, "fresh-map").unwrap();
        charged(&samples, &charges, &own, &FitSettings { resamples: Some(200), ..FitSettings::default() }).unwrap()
    }

    #[test]
    fn a_charge_above_below_and_within_the_interval() {
        use ChargeVerdict::{Covered, Over, Unsure};
        for (charges, verdicts) in [
            ([1200.0, 2400.0], [Covered, Covered]),
            ([800.0, 2400.0], [Over, Covered]),
            ([1010.0, 1600.0], [Unsure, Over]),
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
        assert!(held.measured.unwrap().holds(0.8), "the probe takes the time of the reference");
    }
}
