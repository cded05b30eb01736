use strum::Display;

use crate::model::{Answer, Estimate, StackTest};
use crate::report::Story;
use crate::report::document::{Block, Facts};
use crate::report::words::{more, nanos, percent, percent_range, ratio_range};

/// What is checked of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
pub(in crate::report) enum Check {
    #[strum(to_string = "stack, given pages")]
    Stack,
    #[strum(to_string = "a page costs")]
    Bend,
    #[strum(to_string = "line of two pieces")]
    Pieces,
    #[strum(to_string = "held-out points")]
    HeldOut,
    #[strum(to_string = "held-out undercharged")]
    Undercharged,
    #[strum(to_string = "drift over the run")]
    Drift,
    #[strum(to_string = "points that move")]
    Moving,
    #[strum(to_string = "far-out cycles, kept")]
    FarOut,
    #[strum(to_string = "between processes")]
    Spread,
    #[strum(to_string = "known, all classes at once")]
    Band,
    #[strum(to_string = "small calls in these surroundings")]
    Surcharge,
}

/// What the checks found, none without a model.
pub(in crate::report) fn checks(story: &Story<'_>) -> Vec<(Check, String)> {
    let (Some(own), Some(model)) = (story.own(), story.model()) else { return Vec::new() };
    let mut found = vec![(Check::Stack, stack(&model.stack))];
    if let Some(curve) = &model.curvature {
        let bend = curve.bend;
        let range = format!("{} … {}", percent(bend.low), percent(bend.high));
        let (base, below, above) = (nanos(curve.base.value), nanos(curve.below.value), nanos(curve.above.value));
        let breakpoint = curve.breakpoint;
        let bend = format!("{} above {breakpoint} than below ({range})", more(bend.value));
        let pieces = format!("{base}, then {below} a page up to {breakpoint}, {above} beyond");
        found.extend([(Check::Bend, bend), (Check::Pieces, pieces)]);
    }
    if let Some(held_out) = &model.held_out {
        let slope = ratio_range(held_out.slope);
        found.push((Check::HeldOut, format!("{} of them, measured/predicted {slope}", held_out.points.len())));
        found.push((Check::Undercharged, held_out.undercharged.len().to_string()));
    }
    found.extend(model.drift.map(|drift| (Check::Drift, percent_range(drift.over_run))));
    found.push((Check::Moving, format!("{} of {}", own.moving.len(), own.points.len())));
    let outliers: usize = own.points.iter().map(|point| point.outliers).sum();
    let cycles: usize = own.points.iter().map(|point| point.cycles).sum();
    let preempted: usize = own.points.iter().map(|point| point.preempted).sum();
    found.push((Check::FarOut, format!("{outliers} of {cycles}, where {preempted} were preempted")));
    if let (Some(measured), Some(relative)) = (own.steadiness.measured, own.steadiness.relative) {
        let spread = format!("{:.1} % of time, {:.1} % of time over probe", measured * 100.0, relative * 100.0);
        found.push((Check::Spread, spread));
    }
    if let Some(band) = &own.band {
        let (widest, limit) = (band.widest * 100.0, band.limit * 100.0);
        found.push((Check::Band, format!("to ±{widest:.1} %, and ±{limit:.0} % is what may be signed")));
    }
    for held in &own.surcharges {
        let Estimate { value, low, high } = held.ratio;
        let more = percent_range(Estimate { value: value - 1.0, low: low - 1.0, high: high - 1.0 });
        found.push((Check::Surcharge, format!("{more} in this run against what the reference makes of them")));
    }
    found
}

/// What one of them found.
pub(super) fn finding(story: &Story<'_>, check: Check) -> Option<String> {
    checks(story).into_iter().find(|(of, _)| *of == check).map(|(_, finding)| finding)
}

/// What some of them found.
pub(super) fn found(story: &Story<'_>, wanted: &[Check]) -> Option<Block> {
    let all = checks(story);
    let rows = wanted.iter().filter_map(|check| all.iter().find(|(of, _)| of == check));
    let rows: Vec<_> = rows.map(|(check, finding)| (check.to_string(), finding.clone())).collect();
    (!rows.is_empty()).then(|| Block::Facts(Facts::new("Found, with 95 % intervals", rows)))
}

fn stack(test: &StackTest) -> String {
    let StackTest::Tested(effect) = test else {
        return "not tested: no two points differ in their stack alone".into();
    };
    let answer = match effect.answer {
        Answer::No => "no cost of its own",
        Answer::Yes => "costs of its own",
        Answer::Unsure => "unsure",
    };
    let range = effect.relative;
    let (low, high) = (percent(range.low), percent(range.high));
    format!("{answer}: {} of a call at most ({low} … {high})", percent(range.value))
}
