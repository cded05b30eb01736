//! The pictures of a run, each from its fit.

mod cost;
mod held_out;
mod over_run;
mod phases;
mod residuals;
mod stack;
mod strategies;

use super::ReportError;
use super::plot::Chart;
use super::story::Story;
use crate::model::PointFit;
use crate::units::Nanos;

pub(super) use cost::overlaid;

/// Every picture of a run, in the order of the report.
pub(super) fn charts(story: &Story<'_>) -> Vec<Chart> {
    let own = [cost::cost(story), phases::phases(story)].into_iter().flatten();
    let checks =
        [residuals::residuals(story), over_run::over_run(story), stack::stack(story), held_out::held_out(story)];
    own.chain(strategies::strategies(story)).chain(checks.into_iter().flatten()).collect()
}

/// A point with its cost in words: what is shown when the pointer is on it.
fn words(found: &PointFit) -> String {
    let cost = found.cost;
    format!("{}: {}, 95 % interval {} … {}", found.point.label(), Nanos(cost.value), Nanos(cost.low), Nanos(cost.high))
}

/// Places from `low` to `high` at equal ratios, for lines that are curves on logarithmic axes.
fn places(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..=96u32).map(move |step| low * (high / low).powf(f64::from(step) / 96.0))
}

/// The pictures as files of their own: names without extension, and SVG.
///
/// # Errors
/// A picture cannot be drawn; no input is known with which that happens.
pub fn plots(story: &Story<'_>) -> Result<Vec<(&'static str, String)>, ReportError> {
    let drawn = |chart: Chart| {
        let svg = chart.file().map_err(|source| ReportError::Plot { chart: chart.name, source })?;
        Ok((chart.name, svg))
    };
    charts(story).into_iter().map(drawn).collect()
}
