//! A change at once: the last few runs against those before.

use super::series::{Point, Series, WINDOW, count, level, mean};
use crate::model::{Estimate, t_p_value, t_quantile};

/// The most runs that are tried as the new level: two nights of two. What goes on for longer is for the drift test.
const MOST_RECENT: usize = 4;
/// Runs that a level is compared with, at least.
const FEWEST_BEFORE: usize = 2;

/// The likeliest step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// New level over old.
    pub(super) ratio: Estimate,
    /// p-value that there was none, corrected for the number of places tried (Bonferroni).
    pub(super) p_value: f64,
    /// The first run of the new level.
    pub(super) since: String,
    /// The level before, as a logarithm.
    pub(super) before: f64,
}

/// Tries each of the last [`MOST_RECENT`] runs as the first of a new level: Student's t between the levels, with the
/// spread of runs of one level as known from before. A recent level is no surer than its runs' own intervals say.
///
/// `None` where the level that holds now has too few runs.
pub(super) fn step(series: &Series) -> Option<Step> {
    let era = series.era();
    let most = MOST_RECENT.min(era.len().checked_sub(FEWEST_BEFORE)?);
    let start = series.points.len() - era.len();
    let tried = (1..=most).map(|recent| {
        let (before, after) = era.split_at(era.len() - recent);
        let before = &before[before.len().saturating_sub(WINDOW)..];
        let spread = series.spread(start + era.len() - recent);
        let own = mean(after.iter().map(|point| point.error.powi(2)));
        let variance = spread.deviation.powi(2);
        let error = (variance.max(own) / count(recent) + variance / count(before.len())).sqrt();
        let old = level(before);
        let change = mean(after.iter().map(|point| point.log)) - old;
        let freedom = spread.freedom.min(1e6);
        Step {
            ratio: Estimate::around(change, error * t_quantile(0.95, freedom)).exp(),
            p_value: (p_value(change, error, freedom) * count(most)).min(1.0),
            since: after[0].run.clone(),
            before: old,
        }
    });
    tried.min_by(|one, other| one.p_value.total_cmp(&other.p_value))
}

/// Two-sided p-value of a change with this error. Without any error a change is certain.
pub(super) fn p_value(change: f64, error: f64, freedom: f64) -> f64 {
    let t = change / error;
    if t.is_nan() { 1.0 } else { t_p_value(t.abs().min(1e100), freedom) }
}

/// Whether a fresh run shows a change from `before` in the direction of `change` and beyond the threshold.
pub(super) fn agrees(fresh: &Point, before: f64, change: f64, threshold: f64) -> bool {
    let own = fresh.log - before;
    own.signum() == change.signum() && own.abs() > threshold.ln_1p()
}
