use std::fmt::Write;

use anstyle::Style;

use super::grid::{Grid, escaped};
use crate::model::{Comparison, Form, Noise, PointComparison, Ratio, Spread, TEST, Verdict};

/// A comparison for a terminal.
#[must_use]
pub fn comparison_terminal(a: &str, b: &str, comparison: &Comparison) -> String {
    let heading = Style::new().bold();
    let mut text = format!("{heading}{b} against {a}{heading:#}\n  {}\n", overall(comparison));
    let _ = write!(text, "\n{heading}Points{heading:#}\n{}", points(comparison).text());
    for sentence in notes(comparison) {
        let _ = writeln!(text, "  {sentence}");
    }
    text
}

/// A comparison that renders well as a comment under a pull request.
#[must_use]
pub fn comparison_markdown(a: &str, b: &str, comparison: &Comparison) -> String {
    let mut text = format!("## {} against {}\n\n{}\n\n", escaped(b), escaped(a), escaped(&overall(comparison)));
    text.push_str(&points(comparison).markdown());
    for sentence in notes(comparison) {
        let _ = writeln!(text, "\n{}", escaped(&sentence));
    }
    text
}

/// What an A/A run found, for a terminal.
#[must_use]
pub fn noise_terminal(run: &str, noise: &Noise) -> String {
    let heading = Style::new().bold();
    let changed = noise.halves.points.iter().filter(|point| is_change(point.ratio.verdict)).count();
    format!(
        "{heading}Noise of {run}{heading:#}\n  Smallest change that two such runs would detect: {:.1} %\n  One half against the \
         other: {}\n  Points called changed, all of them false alarms: {changed} of {}\n",
        noise.detectable * 100.0,
        sentence(&noise.halves.overall),
        noise.halves.points.len(),
    )
}

fn is_change(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

pub(super) fn overall(comparison: &Comparison) -> String {
    let form = match comparison.form {
        Form::Absolute => "time",
        Form::Normalised => "time over probe",
    };
    let threshold = comparison.threshold * 100.0;
    format!("{}; by {form}, the steadier form; threshold {threshold} %", sentence(&comparison.overall))
}

fn sentence(ratio: &Ratio) -> String {
    let range = ratio.ratio;
    let times = |value: f64| if value < 1.0 { 1.0 / value } else { value };
    let spread = times(range.value) * range.relative_half_width();
    let word = if range.value < 1.0 { "faster" } else { "slower" };
    format!(
        "{}: {:.3} ± {spread:.3} times {word} (ratio {:.3}, 95 %: {:.3} … {:.3}, p = {:.2e})",
        verdict(ratio.verdict),
        times(range.value),
        range.value,
        range.low,
        range.high,
        ratio.p_value
    )
}

pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "the same",
        Verdict::Unsure => "unsure",
    }
}

fn points(comparison: &Comparison) -> Grid {
    let mut grid = Grid::new(["point", "A mean ± σ", "A min … max", "B mean ± σ", "B min … max", "B/A", "verdict"]);
    for PointComparison { point, ratio, a, b } in &comparison.points {
        let range = ratio.ratio;
        grid.push([
            format!("{}/{} {}", point.contract, point.variant, point.strategy),
            mean(a),
            extremes(a),
            mean(b),
            extremes(b),
            format!("{:.3} ({:.3} … {:.3})", range.value, range.low, range.high),
            verdict(ratio.verdict).into(),
        ]);
    }
    grid
}

fn mean(spread: &Spread) -> String {
    format!("{} ± {}", spread.mean, spread.deviation)
}

fn extremes(spread: &Spread) -> String {
    format!("{} … {}", spread.min, spread.max)
}

pub(super) fn notes(comparison: &Comparison) -> Vec<String> {
    let missing = |side: &str, labels: &[String]| {
        (!labels.is_empty()).then(|| format!("Only {side} has: {}.", labels.join("; ")))
    };
    let detectable = format!("A change of {:.1} % would be detected; p by {TEST}.", comparison.detectable * 100.0);
    let steady = &comparison.steadiness;
    let percent =
        |spread: Option<f64>| spread.map_or_else(|| "unknown".into(), |spread| format!("{:.1} %", spread * 100.0));
    let spreads = format!(
        "Spread between processes: {} of time, {} of time over probe.",
        percent(steady.absolute),
        percent(steady.normalised)
    );
    [Some(detectable), Some(spreads), missing("A", &comparison.only_a), missing("B", &comparison.only_b)]
        .into_iter()
        .flatten()
        .collect()
}
