//! A change at once: the last few nights against those before.

use super::series::{Point, Series, WINDOW, count, level, mean};
use crate::model::{Estimate, t_p_value, t_quantile};

/// How many of the last nights are tried as the new level. What goes on for longer is for the drift test.
const RECENT: [usize; 3] = [1, 2, 4];
/// Nights that a level is compared with, at least.
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
}

struct Tried<'a> {
    change: f64,
    error: f64,
    freedom: f64,
    p_value: f64,
    since: &'a Point,
}

/// Tries each of the last nights as the first of a new level: Student's t between the levels, with the spread of nights of one
/// level as known from before.
///
/// `None` where the level that holds now has too few nights.
pub(super) fn step(series: &Series) -> Option<Step> {
    let era = series.era();
    let start = series.points.len() - era.len();
    let places = RECENT.into_iter().filter(|recent| recent + FEWEST_BEFORE <= era.len());
    let tried = places.clone().map(|recent| {
        let (before, after) = era.split_at(era.len() - recent);
        let before = &before[before.len().saturating_sub(WINDOW)..];
        let spread = series.spread(start + era.len() - recent);
        let error = (spread.of_mean(after) + spread.of_mean(before)).sqrt();
        let change = mean(after.iter().map(|point| point.log)) - level(before);
        let freedom = spread.freedom();
        Tried { change, error, freedom, p_value: p_value(change, error, freedom), since: &after[0] }
    });
    let Tried { change, error, freedom, p_value, since } =
        tried.min_by(|one, other| one.p_value.total_cmp(&other.p_value))?;
    Some(Step {
        ratio: ratio(change, error, freedom),
        p_value: (p_value * count(places.count())).min(1.0),
        since: since.run.clone(),
    })
}

/// The ratio of which a change is the logarithm, with its 95 % interval.
pub(super) fn ratio(change: f64, error: f64, freedom: f64) -> Estimate {
    Estimate::around(change, error * t_quantile(0.95, freedom)).exp()
}

/// Two-sided p-value of a change with this error. Without any error a change is certain.
pub(super) fn p_value(change: f64, error: f64, freedom: f64) -> f64 {
    let t = change / error;
    if t.is_nan() { 1.0 } else { t_p_value(t.abs().min(1e100), freedom) }
}
