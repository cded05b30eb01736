use std::collections::BTreeMap;

use super::checks::{Check, found};
use super::part::{Part, figure};
use crate::model::Estimate;
use crate::report::Story;
use crate::report::document::Block;
use crate::report::plot::{Axis, Chart, Ink, Mark, Series, Shape};
use crate::report::words::percent;
use crate::units::Pages;

pub(super) const PART: Part = Part { id: "held-out", heading: "Held-out points", blocks };

const CAPTION: &str =
    "Whole sizes are left out of a fit, which then predicts them. Above 0 % the point costs more than predicted.";

fn blocks(story: &Story<'_>) -> Vec<Block> {
    let chart = chart(story).map(|chart| figure(chart, CAPTION));
    chart.into_iter().chain(found(story, &[Check::HeldOut, Check::Undercharged])).collect()
}

/// Points that were not fitted, against what the others predict.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let (own, held_out) = (story.own()?, story.model()?.held_out.as_ref()?);
    let mut levels: BTreeMap<Pages, Vec<(Estimate, String)>> = BTreeMap::new();
    for (label, predicted) in held_out.points.iter().zip(&held_out.predicted) {
        let found = own.points.iter().find(|found| found.point.label() == *label)?;
        let off = found.cost.scaled(1.0 / predicted);
        let title = format!("{label}: measured {} against the prediction", percent(off.value - 1.0));
        levels.entry(found.point.initial_pages()).or_default().push((off, title));
    }
    let mut marks = Vec::new();
    for (place, group) in (0u32..).zip(levels.values()) {
        let pitch = 0.72 / f64::from(u32::try_from(group.len()).ok()?);
        for (at, (off, title)) in (0u32..).zip(group) {
            let x = f64::from(place) - 0.36 + (f64::from(at) + 0.5) * pitch;
            let interval = Some((off.low - 1.0, off.high - 1.0));
            marks.push(Mark { x, y: off.value - 1.0, interval, title: title.clone() });
        }
    }
    let x = Axis::names("initial pages of 64 KiB", levels.keys().map(|pages| pages.0.to_string()));
    let ends = levels.values().flatten().flat_map(|(off, _)| [off.low - 1.0, off.high - 1.0]);
    let y = Axis::percent("measured, relative to predicted", ends);
    let alternative = format!(
        "{} held-out points at {} sizes: measured cost relative to what the other points predict.",
        marks.len(),
        levels.len()
    );
    let series = vec![Series {
        name: "a held-out point, with its interval".into(),
        ink: Ink::Series(3),
        shape: Shape::Marks(marks),
    }];
    (!levels.is_empty()).then_some(Chart { name: "held-out".into(), alternative, x, y, right: None, series })
}
