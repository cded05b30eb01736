//! An A/A run.

use super::comparison;
use crate::model::{Noise, Verdict};
use crate::report::document::Document;

/// What an A/A run found.
#[must_use]
pub fn page(run: &str, noise: &Noise) -> Document {
    let points = &noise.halves.points;
    let is_change = |verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
    let changed = points.iter().filter(|point| is_change(point.ratio.verdict)).count();
    let about = vec![
        format!("Smallest change that two such runs would detect: {:.1} %", noise.detectable * 100.0),
        format!("One half against the other: {}", comparison::sentence(&noise.halves.overall)),
        format!("Points called changed, all of them false alarms: {changed} of {}", points.len()),
    ];
    Document { title: format!("Noise of {run}"), about, ..Document::default() }
}
