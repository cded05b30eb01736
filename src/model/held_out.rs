//! Validation on design points that the fit did not see.

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::covering::Demands;
use super::design::Design;
use super::line::non_negative;
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::{Experiment, Point};

/// How a fit without some of the points predicts them. The proposed charge is computed from all points afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// Points fitted.
    pub fitted: usize,
    /// Labels of the points held out.
    pub points: Vec<String>,
    /// What the others predict for each of them, in nanoseconds.
    #[serde(default)]
    pub predicted: Vec<f64>,
    /// Slope of measured on predicted through the origin with relative weights, which is the mean of measured/predicted:
    /// 1 is a perfect prediction.
    pub slope: Estimate,
    /// Labels of the held-out points whose statistic is above the charge that covers the others with their margin.
    pub undercharged: Vec<String>,
}

impl HeldOut {
    /// Holds out a seeded share of the page levels of points that do not grow, fits the others and predicts. `None` if the grid is too
    /// small to spare a point.
    pub(crate) fn new(
        experiment: &Experiment,
        points: &[&Point],
        bootstrap: &Bootstrap,
        settings: &FitSettings,
    ) -> Result<Option<Self>, ModelError> {
        let held_out = choose(experiment, points, settings);
        let kept = |row: &usize| !held_out.contains(row);
        let design = Design::new(experiment, &settings.terms, points, (0..points.len()).filter(kept));
        if held_out.is_empty() || design.check(points, &bootstrap.observed).is_err() {
            return Ok(None);
        }
        let levels: Vec<Vec<f64>> = held_out
            .iter()
            .map(|&row| design.factors.iter().map(|factor| factor.level(points[row])).collect())
            .collect();
        let predict = |costs: &[f64]| -> Vec<f64> {
            let line = non_negative(&design, costs);
            levels.iter().map(|levels| levels.iter().zip(&line).map(|(level, cost)| level * cost).sum()).collect()
        };
        #[expect(clippy::cast_precision_loss, reason = "a count of design points")]
        let slope = bootstrap.estimate("slope over held-out points", |costs| {
            let predicted = predict(costs);
            let ratios = held_out.iter().zip(predicted).map(|(&row, predicted)| costs[row] / predicted);
            ratios.sum::<f64>() / held_out.len() as f64
        })?;
        // A charge that covers modules of the worst mix would cover any others.
        let beyond = experiment.beyond_line.filter(|_| experiment.held_out.is_some());
        let is_fitted = |row: usize| beyond.is_none_or(|column| column.at(points[row]) == 0);
        let (others, bounds): (Vec<&Point>, Vec<f64>) = (0..points.len())
            .filter(|row| kept(row) && is_fitted(*row))
            .map(|row| (points[row], bootstrap.observed[row] * (1.0 + settings.margin)))
            .unzip();
        let fitted = Demands::new(experiment, &settings.terms, &others);
        let covered = fitted.cover(&bounds)?;
        let charge = |row: usize| fitted.charge(&covered, points[row]);
        let is_covered = |row: usize| charge(row) >= bootstrap.observed[row];
        let labels = |rows: &mut dyn Iterator<Item = usize>| rows.map(|row| points[row].label()).collect();
        Ok(Some(Self {
            fitted: design.rows.len(),
            points: labels(&mut held_out.iter().copied()),
            predicted: predict(&bootstrap.observed),
            slope,
            undercharged: labels(&mut held_out.iter().copied().filter(|&row| !is_covered(row))),
        }))
    }
}

/// The contract that the experiment names for it; otherwise a seeded share of the grid: whole page levels, since a point whose siblings of the same pages are fitted would test the noise
/// and not the line. Never the smallest or the largest level: beyond the fitted levels a fit extrapolates, which no charge does.
#[expect(clippy::cast_precision_loss, reason = "a count of design points")]
fn choose(experiment: &Experiment, points: &[&Point], settings: &FitSettings) -> BTreeSet<usize> {
    let all = Design::new(experiment, &[], points, 0..points.len());
    if let Some(contract) = experiment.held_out {
        return all.rows.into_iter().filter(|&row| points[row].contract == contract).collect();
    }
    let mut levels: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for &row in &all.rows {
        levels.entry(points[row].level(experiment.leading)).or_default().push(row);
    }
    let wanted = levels.values().map(Vec::len).sum::<usize>() as f64 * settings.held_out;
    levels.pop_first();
    levels.pop_last();
    let mut levels: Vec<Vec<usize>> = levels.into_values().collect();
    levels.shuffle(&mut ChaCha8Rng::seed_from_u64(settings.seed));
    let mut chosen = BTreeSet::new();
    for rows in levels {
        // Nearer to the share with this level than without it.
        if chosen.len() as f64 + rows.len() as f64 / 2.0 <= wanted {
            chosen.extend(rows);
        }
    }
    chosen
}
