use super::checks::{Check, found};
use super::part::{Part, figure};
use crate::model::Step;
use crate::report::Story;
use crate::report::document::Block;
use crate::report::plot::{Axis, Chart, Ink, Mark, Series, Shape};
use crate::report::words::percent;

pub(super) const PART: Part = Part { id: "run", heading: "Time over the run", blocks };

const CAPTION: &str = "Every cycle under the chain's strategy, in the order measured, over the median of its own point, so that all \
                       points share an axis. Far out is more than three interquartile ranges beyond the quartiles of the point; \
                       such cycles are kept.";

fn blocks(story: &Story<'_>) -> Vec<Block> {
    let chart = chart(story).map(|chart| figure(chart, CAPTION));
    chart.into_iter().chain(found(story, &[Check::Drift, Check::Moving, Check::FarOut, Check::Spread])).collect()
}

/// The time of cycles over the run, with drift and outliers.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let timeline = story.timeline;
    let steps = &timeline.steps;
    if steps.is_empty() {
        return None;
    }
    let far = |step: &Step| {
        let y = step.farthest?;
        let title = format!(
            "process {:.0}: {} far out, the farthest {y:.2}× its point's median",
            step.at.floor() + 1.0,
            step.far_out
        );
        Some(Mark { x: step.at, y, interval: None, title })
    };
    let far: Vec<Mark> = steps.iter().filter_map(far).collect();
    let ends = steps.iter().flat_map(|step| [step.low, step.high]).chain(far.iter().map(|mark| mark.y));
    let y = Axis::ratio("time of a cycle over the median of its point", ends);
    let x = Axis::processes("worker processes, one after the other", timeline.processes);
    let line =
        |value: fn(&Step) -> f64| -> Vec<(f64, f64)> { steps.iter().map(|step| (step.at, value(step))).collect() };
    let mut series = vec![
        Series {
            name: "all but the outer 5 % to each side".into(),
            ink: Ink::Series(0),
            shape: Shape::Band(steps.iter().map(|step| (step.at, step.low, step.high)).collect()),
        },
        Series { name: "median cycle".into(), ink: Ink::Series(0), shape: Shape::Line(line(|step| step.median)) },
    ];
    let drift = story.model().and_then(|model| model.drift).map(|drift| drift.over_run);
    if let Some(drift) = drift {
        // From half below to half above on the logarithmic axis, as it was fitted.
        let end = (1.0 + drift.value).sqrt();
        let places = vec![(0.5, 1.0 / end), (f64::from(timeline.processes) - 0.5, end)];
        let name = format!("drift, {} over the run", percent(drift.value));
        series.push(Series { name, ink: Ink::Series(1), shape: Shape::Line(places) });
    }
    if !far.is_empty() {
        let name = format!("farthest of {} far-out cycles", timeline.far_out());
        series.push(Series { name, ink: Ink::Series(7), shape: Shape::Marks(far) });
    }
    let alternative = format!(
        "Time of cycles over the run in {} steps through {} worker processes, relative to the median of each cycle's point; {} cycles \
         are far out.",
        steps.len(),
        timeline.processes,
        timeline.far_out()
    );
    Some(Chart { name: "over-the-run".into(), alternative, x, y, right: None, series })
}
