//! Validation on design points that the fit did not see.

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::covering::{Demand, cover};
use super::design::Design;
use super::line::non_negative;
use super::{Estimate, FitSettings, ModelError};
use crate::measure::DesignPoint;

/// How a fit without some of the points predicts them. The proposed charge is computed from all points afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// Points fitted.
    pub fitted: usize,
    /// Labels of the points held out.
    pub points: Vec<String>,
    /// Slope of measured on predicted through the origin with relative weights, which is the mean of measured/predicted:
    /// 1 is a perfect prediction.
    pub slope: Estimate,
    /// Labels of the held-out points whose statistic is above the covering line of the others.
    pub undercharged: Vec<String>,
}

impl HeldOut {
    /// Holds out a seeded share of the points that do not grow, fits the others and predicts. `None` if the grid is too
    /// small to spare a point.
    pub(crate) fn new(
        points: &[&DesignPoint],
        upper: &[f64],
        bootstrap: &Bootstrap,
        settings: &FitSettings,
    ) -> Result<Option<Self>, ModelError> {
        let held_out = choose(points, settings);
        let kept = |row: &usize| !held_out.contains(row);
        let design = Design::new(points, (0..points.len()).filter(kept));
        if held_out.is_empty() || design.check(points, &bootstrap.observed).is_err() {
            return Ok(None);
        }
        let levels: Vec<Vec<f64>> = held_out
            .iter()
            .map(|&row| design.factors.iter().map(|factor| factor.level(points[row])).collect())
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "a count of design points")]
        let slope = bootstrap.estimate("slope over held-out points", |costs| {
            let line = non_negative(&design, costs);
            let predicted =
                levels.iter().map(|levels| levels.iter().zip(&line).map(|(level, cost)| level * cost).sum());
            let ratios = held_out.iter().zip(predicted).map(|(&row, predicted): (_, f64)| costs[row] / predicted);
            ratios.sum::<f64>() / held_out.len() as f64
        })?;
        let fitted: Vec<Demand> = Demand::all(points).into_iter().filter(|demand| kept(&demand.row)).collect();
        let line = cover(&fitted, upper);
        let charge = |row: usize| line[0] + line[1] * f64::from(points[row].initial_pages.0);
        let labels = |rows: &mut dyn Iterator<Item = usize>| rows.map(|row| points[row].label()).collect();
        Ok(Some(Self {
            fitted: design.rows.len(),
            points: labels(&mut held_out.iter().copied()),
            slope,
            undercharged: labels(&mut held_out.iter().copied().filter(|&row| charge(row) < bootstrap.observed[row])),
        }))
    }
}

/// A seeded share of the points, rounded, never all points of the smallest or largest page level: beyond the fitted levels a
/// fit extrapolates, which no charge does.
#[expect(clippy::cast_precision_loss, reason = "a count of design points")]
fn choose(points: &[&DesignPoint], settings: &FitSettings) -> BTreeSet<usize> {
    let mut rows: Vec<usize> = (0..points.len()).filter(|&row| points[row].grown_pages().0 == 0).collect();
    let wanted = rows.len() as f64 * settings.held_out;
    let mut left: BTreeMap<_, usize> = BTreeMap::new();
    for &row in &rows {
        *left.entry(points[row].initial_pages).or_default() += 1;
    }
    let ends = [left.keys().next().copied(), left.keys().next_back().copied()];
    rows.shuffle(&mut ChaCha8Rng::seed_from_u64(settings.seed));
    let mut chosen = BTreeSet::new();
    for row in rows {
        let pages = points[row].initial_pages;
        let Some(left) = left.get_mut(&pages) else { continue };
        if chosen.len() as f64 + 0.5 <= wanted && (*left > 1 || !ends.contains(&Some(pages))) {
            *left -= 1;
            chosen.insert(row);
        }
    }
    chosen
}
