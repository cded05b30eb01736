//! Two runs, or two strategies, by their samples.

use crate::model::{Comparison, Form, PointComparison, Ratio, Spread, TEST, Tally, Verdict};
use crate::report::document::{Align, Block, Document, Section, Table};
use crate::report::words::{counted, p_value, percent};

/// Points that are shown where not all are, the largest effects first.
const SHOWN: usize = 30;

/// What fits beside effect and verdict in a line.
const NAME: usize = 39;

/// A comparison of B with A as a comment under a pull request.
#[must_use]
pub fn page(a: &str, b: &str, comparison: &Comparison) -> Document {
    let points = Section::new("points", "Points", vec![Block::Table(points(comparison, usize::MAX, usize::MAX))]);
    let notes = Block::some(Block::Notes, notes(comparison, true)).into_iter().collect();
    let sections = vec![points.folded(), Section::unheaded("notes", notes)];
    Document { sections, is_comment: true, ..head(a, b, comparison) }
}

/// The same in at most 45 lines of 80 columns, or with `all` points and their whole names.
#[must_use]
pub fn brief(a: &str, b: &str, comparison: &Comparison, all: bool) -> Document {
    let (shown, name) = if all { (usize::MAX, usize::MAX) } else { (SHOWN, NAME) };
    let table = points(comparison, shown, name);
    let mut notes = notes(comparison, all);
    let left = comparison.points.len().saturating_sub(shown);
    if left > 0 {
        notes.insert(0, format!("{} with smaller effects: --verbose shows all.", counted(left, "point", "points")));
    }
    let notes = Block::some(Block::Notes, notes);
    let blocks = std::iter::once(Block::Table(table)).chain(notes);
    Document { sections: vec![Section::unheaded("points", blocks.collect())], ..head(a, b, comparison) }
}

fn head(a: &str, b: &str, comparison: &Comparison) -> Document {
    let about = vec![overall(comparison), together(comparison)];
    Document { title: format!("{b} against {a}"), about, ..Document::default() }
}

/// The verdict over all points.
pub(super) fn overall(comparison: &Comparison) -> String {
    let form = match comparison.form {
        Form::Measured => "time",
        Form::Reference => "time over probe",
    };
    let (statistic, threshold) = (comparison.statistic, comparison.threshold * 100.0);
    format!("{}; by the {statistic} of {form}; threshold {threshold} %", sentence(&comparison.overall))
}

/// All verdicts and effects in a line.
fn together(comparison: &Comparison) -> String {
    let Tally { slower, faster, same, unsure, largest, p75, median } = comparison.tally();
    let size = |share: f64| format!("{:.1} %", share * 100.0);
    format!(
        "{}: {slower} regressed, {faster} improved, {same} unchanged, {unsure} unsure; effects: largest {}, p75 {}, median {}",
        counted(comparison.points.len(), "point", "points"),
        percent(largest),
        size(p75),
        size(median)
    )
}

/// A ratio as an effect, and its p-value where it is called one.
pub(super) fn sentence(ratio: &Ratio) -> String {
    let is_change = matches!(ratio.verdict, Verdict::Faster | Verdict::Slower);
    let p = if is_change { format!(", {}", p_value(ratio.p_value)) } else { String::new() };
    format!("{}: {}{p}", verdict(ratio.verdict), effect(ratio))
}

/// How much dearer B is, with its interval.
fn effect(Ratio { ratio, .. }: &Ratio) -> String {
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(|end| (end - 1.0) * 100.0);
    format!("{value:+.1} % ({low:+.1} … {high:+.1})")
}

pub(super) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "the same",
        Verdict::Unsure => "unsure",
    }
}

/// The points with the largest effects, their names as far as there is room.
fn points(comparison: &Comparison, shown: usize, room: usize) -> Table {
    let points = comparison.by_effect();
    let first = points.first().map(|of| &of.point.strategy);
    let alike = points.iter().all(|of| Some(&of.point.strategy) == first);
    let row = |of: &&PointComparison| {
        let (label, pages) = (of.point.label(), of.point.touched_pages());
        // What all have in common says nothing of one, nor does it that a call touches what it declares.
        let name = if alike { label.replacen(&format!(" under {}", of.point.strategy), "", 1) } else { label };
        let whole = pages == of.point.initial_pages();
        let name = if whole { name.replacen(&format!(" touching {pages}"), "", 1) } else { name };
        [effect(&of.ratio), verdict(of.ratio.verdict).into(), cut(&name, room)]
    };
    let mut table = Table::of_words(["effect (95 %)", "verdict", "point"], points.iter().take(shown).map(row));
    table.columns[0].align = Align::Right;
    table
}

fn cut(name: &str, room: usize) -> String {
    if name.chars().count() <= room {
        return name.to_owned();
    }
    name.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// The mean of a point's cycles and how far they lie from it.
pub(super) fn mean(spread: &Spread) -> String {
    format!("{} ± {}", spread.mean, spread.deviation)
}

/// What else a reader of the verdict should know, with the names of points that one side lacks or only their number.
pub(super) fn notes(comparison: &Comparison, all: bool) -> Vec<String> {
    let missing = |side: &str, labels: &[String]| {
        let said = if all { labels.join("; ") } else { counted(labels.len(), "point", "points") };
        (!labels.is_empty()).then(|| format!("Only {side} has: {said}."))
    };
    let test = if all { format!("; p by {TEST}") } else { String::new() };
    let detectable = format!("A change of {:.1} % would be detected{test}.", comparison.detectable * 100.0);
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
