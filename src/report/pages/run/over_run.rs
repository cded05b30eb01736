use super::checks::Check;
use super::part::{Content, Part};
use crate::model::Step;
use crate::report::Story;
use crate::report::plot::{Axis, Chart, Mark, Series, Shape};
use crate::report::words::percent;

pub(super) const PART: Part = Part {
    id: "run",
    heading: "Time over the run",
    content: Content::Picture(
        chart,
        "Every cycle under the chain's strategy, in the order measured, over the median of its own point, so that all points share an \
         axis. Far out is more than three interquartile ranges beyond the quartiles of the point; such cycles are kept.",
        &[Check::Drift, Check::Moving, Check::FarOut, Check::Spread],
    ),
};

/// The time of cycles over the run, with drift and outliers.
fn chart(story: &Story<'_>) -> Option<Chart> {
    let timeline = story.timeline;
    let steps = &timeline.steps;
    if steps.is_empty() {
        return None;
    }
    let far = |step: &Step| {
        let y = step.farthest?;
        let (process, far) = (step.at.floor() + 1.0, step.far_out);
        let title = format!("process {process:.0}: {far} far out, the farthest {y:.2}× its point's median");
        Some(Mark { x: step.at, y, interval: None, title })
    };
    let far: Vec<Mark> = steps.iter().filter_map(far).collect();
    let ends = steps.iter().flat_map(|step| [step.low, step.high]).chain(far.iter().map(|mark| mark.y));
    let y = Axis::ratio("time of a cycle over the median of its point", ends);
    let x = Axis::processes("worker processes, one after the other", timeline.processes);
    let band = steps.iter().map(|step| (step.at, step.low, step.high)).collect();
    let median = steps.iter().map(|step| (step.at, step.median)).collect();
    let mut series = vec![
        Series::new(0, "all but the outer 5 % to each side", Shape::Band(band)),
        Series::new(0, "median cycle", Shape::Line(median)),
    ];
    if let Some(drift) = story.model().and_then(|model| model.drift).map(|drift| drift.over_run.value) {
        // From half below to half above on the logarithmic axis, as it was fitted.
        let end = (1.0 + drift).sqrt();
        let places = vec![(0.5, 1.0 / end), (f64::from(timeline.processes) - 0.5, end)];
        series.push(Series::new(1, format!("drift, {} over the run", percent(drift)), Shape::Line(places)));
    }
    let far_out = timeline.far_out();
    if !far.is_empty() {
        series.push(Series::new(7, format!("farthest of {far_out} far-out cycles"), Shape::Marks(far)));
    }
    let alternative = format!(
        "Time of cycles over the run in {} steps through {} worker processes, relative to the median of each cycle's point; {far_out} \
         cycles are far out.",
        steps.len(),
        timeline.processes
    );
    Some(Chart::new("over-the-run", alternative, x, y, series))
}
