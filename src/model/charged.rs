//! Measured costs held against what a table charges for them.

use serde::{Deserialize, Serialize};

use super::band::reach;
use super::form::Costs;
use super::grid::Grid;
use super::points::PointFit;
use super::pooled::Forms;
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
    /// Where they cannot be told apart: how many times as long a run would have to be, infinitely if what runs differ by is more than what
    /// the two do.
    #[serde(default)]
    pub times_longer: Option<f64>,
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
    /// The points, in the order of the samples, batch by batch.
    pub points: Vec<ChargedPoint>,
    /// Slope of measured on predicted through the origin with relative weights, which is the mean of cost over charge.
    pub slope: Estimate,
    /// The same by time as measured, which a machine that is faster or slower than the reference moves; `None` without probes.
    pub measured: Option<Estimate>,
}

/// Holds measured points of one strategy against their charges, in nanoseconds on the reference machine before the safety factor. They were
/// measured in batches, one after the other, each in processes of its own; each comes with the charges of its points.
///
/// A slow hour makes a point slow and its probe alike, and is no fault of a charge: costs are stated on the machine that the
/// charges are, each by the probes of its own batch. The intervals hold what moves between runs as well, as the charges come from another one.
///
/// # Errors
/// [`ModelError`] if the samples or settings allow no statistics.
pub fn charged(
    batches: &[(Samples, Vec<f64>)],
    reference: &Reference,
    settings: &FitSettings,
) -> Result<Charged, ModelError> {
    settings.check()?;
    let held = batches.iter().map(|(samples, charges)| of_batch(samples, charges, reference, settings));
    together(held.collect::<Result<_, ModelError>>()?, settings)
}

/// A batch with the means over its points as its own processes tell them.
struct Batch {
    points: Vec<ChargedPoint>,
    slope: Estimate,
    measured: Option<Estimate>,
    /// The deviation between runs of the mean of costs on the reference machine.
    common: f64,
}

fn of_batch(
    samples: &Samples,
    charges: &[f64],
    reference: &Reference,
    settings: &FitSettings,
) -> Result<Batch, ModelError> {
    let chosen: Vec<usize> = (0..samples.points.len()).collect();
    let grid = Grid::new(samples, &chosen)?;
    let forms = Forms::new(&grid, settings, Some(reference), settings.resamples_for(samples.len()))?;
    let estimates = |costs: &Costs| costs.bootstrap.estimates("costs of the contracts", <[f64]>::to_vec);
    let times = estimates(&forms.measured)?;
    let stated = match &forms.on_reference {
        Some((costs, _, nanos)) => estimates(costs)?.into_iter().zip(nanos.iter().copied()).map(Some).collect(),
        None => vec![None; times.len()],
    };
    let between_runs = &grid.experiment.between_runs;
    let points = times.iter().zip(stated).zip(charges).enumerate().map(|(at, ((&time, stated), &charge))| {
        let fit = PointFit::new(at, &grid, (&forms.measured, time), stated)?;
        let moved = between_runs.of(&fit.point);
        let used = between(fit.cost, moved, settings.confidence).scaled(1.0 / charge);
        let verdict = verdict(used);
        let is_unsure = verdict == ChargeVerdict::Unsure;
        let times_longer = is_unsure.then(|| times_longer(fit.cost, moved, settings.confidence, charge));
        Ok(ChargedPoint { fit, charge, used, verdict, times_longer })
    });
    let points = points.collect::<Result<_, ModelError>>()?;
    let by_time = slope(&forms.measured, charges)?;
    Ok(match &forms.on_reference {
        Some((costs, ..)) => {
            let slope = slope(costs, charges)?;
            Batch { points, slope, measured: Some(by_time), common: between_runs.common }
        }
        None => Batch { points, slope: by_time, measured: None, common: 0.0 },
    })
}

/// All batches: the means over all points. Each batch has processes of its own, so that their errors are independent; what a run moves all
/// points by they have in common.
fn together(batches: Vec<Batch>, settings: &FitSettings) -> Result<Charged, ModelError> {
    let common = batches.first().ok_or(ModelError::NoSamples)?.common;
    let slopes = batches.iter().map(|batch| (batch.points.len(), batch.slope));
    let slope = between(mean(slopes), common, settings.confidence);
    let times: Option<Vec<_>> = batches.iter().map(|batch| Some((batch.points.len(), batch.measured?))).collect();
    let measured = times.map(|times| mean(times.into_iter()));
    Ok(Charged { points: batches.into_iter().flat_map(|batch| batch.points).collect(), slope, measured })
}

/// The mean over all of several groups, given those over each and how many each has.
#[expect(clippy::cast_precision_loss, reason = "a count of contracts")]
fn mean(groups: impl Iterator<Item = (usize, Estimate)> + Clone) -> Estimate {
    let count: usize = groups.clone().map(|(count, _)| count).sum();
    let share = |of: usize| of as f64 / count as f64;
    let value = groups.clone().map(|(of, mean)| share(of) * mean.value).sum();
    let squares = groups.map(|(of, mean)| (share(of) * (mean.high - mean.low) / 2.0).powi(2));
    Estimate::around(value, squares.sum::<f64>().sqrt())
}

/// An estimate with what moves between runs in its interval.
fn between(cost: Estimate, deviation: f64, confidence: f64) -> Estimate {
    let own = cost.relative_half_width();
    let half_width = own.hypot(reach(0.0, 1.0, deviation, confidence));
    Estimate::around(cost.value, cost.value.abs() * half_width)
}

/// How many times as long a run tells a cost from a charge: its own error shrinks with the root of its length, what runs differ by does not.
fn times_longer(cost: Estimate, deviation: f64, confidence: f64, charge: f64) -> f64 {
    let apart = (1.0 - charge / cost.value).powi(2) - reach(0.0, 1.0, deviation, confidence).powi(2);
    if apart > 0.0 { cost.relative_half_width().powi(2) / apart } else { f64::INFINITY }
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
        let settings = FitSettings { resamples: Some(200), ..FitSettings::default() };
        charged(&[(samples, charges.into())], &own, &settings).unwrap()
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
    fn what_cannot_be_told_apart_says_how_much_longer_it_would_take() {
        let cost = Estimate::around(1000.0, 40.0);
        // 2 % apart, known to 4 %: half the error, four times as long.
        assert!((times_longer(cost, 0.0, 0.95, 1020.0) - 4.0).abs() < 1e-9);
        assert!((times_longer(cost, 0.0, 0.95, 980.0) - 4.0).abs() < 1e-9);
        let moved = reach(0.0, 1.0, 0.005, 0.95);
        let times = times_longer(cost, 0.005, 0.95, 1020.0);
        assert!(((0.04 / times.sqrt()).hypot(moved) - 0.02).abs() < 1e-9, "{times}");
        assert!(times_longer(cost, 0.02, 0.95, 1020.0).is_infinite());
        let held = held([1010.0, 2400.0]);
        assert!(held.points[0].times_longer.is_some_and(|times| times > 1.0));
        assert_eq!(held.points[1].times_longer, None);
    }

    #[test]
    fn the_slope_is_the_mean_share_that_is_used() {
        let held = held([1250.0, 2500.0]);
        assert!((held.slope.value - 0.8).abs() < 1e-9 && held.slope.holds(0.8));
        assert!((held.points[0].used.value - 0.8).abs() < 1e-9);
        assert!(held.measured.unwrap().holds(0.8), "the probe takes the time of the reference");
    }
}
