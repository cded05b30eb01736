//! Two runs, or two strategies, by their samples.

use crate::model::{Comparison, Form, PointComparison, Ratio, Spread, TEST, Verdict};
use crate::report::document::{Block, Document, Section, Table};
use crate::report::words::ratio_range;

/// A comparison of B with A as a comment under a pull request.
#[must_use]
pub fn page(a: &str, b: &str, comparison: &Comparison) -> Document {
    let blocks = std::iter::once(Block::Table(points(comparison))).chain(Block::some(Block::Notes, notes(comparison)));
    Document {
        sections: vec![Section::unheaded("points", blocks.collect())],
        is_comment: true,
        ..head(a, b, comparison)
    }
}

/// The same in lines of 80 columns.
#[must_use]
pub fn brief(a: &str, b: &str, comparison: &Comparison) -> Document {
    let points = Block::Lines(comparison.points.iter().flat_map(lines).collect());
    let notes = Block::some(Block::Notes, notes(comparison)).into_iter().collect();
    let heading = "Points: mean ± σ, and the cheapest and dearest cycle";
    let sections = vec![Section::new("points", heading, vec![points]), Section::unheaded("notes", notes)];
    Document { sections, ..head(a, b, comparison) }
}

fn head(a: &str, b: &str, comparison: &Comparison) -> Document {
    Document { title: format!("{b} against {a}"), about: vec![overall(comparison)], ..Document::default() }
}

/// The verdict over all points.
pub(super) fn overall(comparison: &Comparison) -> String {
    let form = match comparison.form {
        Form::Measured => "time",
        Form::Reference => "time over probe",
    };
    let threshold = comparison.threshold * 100.0;
    format!("{}; by {form}; threshold {threshold} %", sentence(&comparison.overall))
}

/// A ratio with all that is known of it.
pub(super) fn sentence(ratio: &Ratio) -> String {
    let range = ratio.ratio;
    format!(
        "{}: {} (ratio {:.3}, 95 %: {:.3} … {:.3}, p = {:.2e})",
        verdict(ratio.verdict),
        times(ratio),
        range.value,
        range.low,
        range.high,
        ratio.p_value
    )
}

/// As in "1.024 ± 0.010 times slower".
fn times(ratio: &Ratio) -> String {
    let range = ratio.ratio;
    let (times, word) = if range.value < 1.0 { (1.0 / range.value, "faster") } else { (range.value, "slower") };
    format!("{times:.3} ± {:.3} times {word}", times * range.relative_half_width())
}

pub(super) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "the same",
        Verdict::Unsure => "unsure",
    }
}

fn lines(PointComparison { point, ratio, a, b }: &PointComparison) -> [String; 4] {
    let side = |name: &str, spread: &Spread| format!("  {name}  {:<20}  {}", mean(spread), extremes(spread));
    let range = ratio.ratio;
    let verdict = verdict(ratio.verdict);
    let ratio = format!("  {verdict}: {} ({:.3} … {:.3})", times(ratio), range.low, range.high);
    [point.label(), side("A", a), side("B", b), ratio]
}

fn points(comparison: &Comparison) -> Table {
    let row = |PointComparison { point, ratio, a, b }: &PointComparison| {
        let verdict = verdict(ratio.verdict).into();
        [point.label(), mean(a), extremes(a), mean(b), extremes(b), ratio_range(ratio.ratio), verdict]
    };
    let headings = ["point", "A mean ± σ", "A min … max", "B mean ± σ", "B min … max", "B/A", "verdict"];
    Table::of_figures(headings, comparison.points.iter().map(row))
}

/// The mean of a point's cycles and how far they lie from it.
pub(super) fn mean(spread: &Spread) -> String {
    format!("{} ± {}", spread.mean, spread.deviation)
}

fn extremes(spread: &Spread) -> String {
    format!("{} … {}", spread.min, spread.max)
}

/// What else a reader of the verdict should know.
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
        percent(steady.measured),
        percent(steady.relative)
    );
    [Some(detectable), Some(spreads), missing("A", &comparison.only_a), missing("B", &comparison.only_b)]
        .into_iter()
        .flatten()
        .collect()
}
