//! Two runs, or two strategies, by their samples.

use crate::experiment::{Count, Counter, EXPERIMENTS};
use crate::model::{Comparison, CounterComparison, Estimate, Form, PointComparison, Ratio, Spread, TEST, Tally};
use crate::model::{Verdict, Verdicts};
use crate::report::document::{Align, Block, Document, Section, Table};
use crate::report::names::{common, distinct};
use crate::report::words::{counted, nanos, p_digits, p_value, percent, size};
use crate::units::Bytes;

/// Rows that are shown where not all are, the largest effects first.
const SHOWN: usize = 24;

/// Counters among them.
const COUNTERS: usize = 6;

/// Characters of a line.
const LINE: usize = 80;

/// A comparison of B with A as a comment under a pull request.
#[must_use]
pub fn page(a: &str, b: &str, comparison: &Comparison) -> Document {
    let points = Section::new("points", "Points", vec![Block::Table(whole(comparison))]);
    let counters = Section::new("counters", "Counters", counters(comparison, usize::MAX, false));
    let notes = Block::some(Block::Notes, notes(comparison, true)).into_iter().collect();
    let sections = vec![points.folded(), counters.folded(), Section::unheaded("notes", notes)];
    Document { sections, is_comment: true, ..head(a, b, comparison) }
}

/// The same in at most 45 lines of 80 columns, or with `all` points and their whole names.
#[must_use]
pub fn brief(a: &str, b: &str, comparison: &Comparison, all: bool) -> Document {
    let counters = counters(comparison, if all { usize::MAX } else { COUNTERS }, !all);
    let mut blocks = Vec::new();
    let mut notes = notes(comparison, all);
    if all {
        blocks.push(Block::Table(whole(comparison)));
    } else {
        let rows = comparison.changed_counters().len().min(COUNTERS);
        let shown = if rows == 0 { SHOWN } else { SHOWN - rows - 2 };
        let (table, said) = narrow(comparison, shown);
        blocks.push(Block::Table(table));
        notes.splice(0..0, said);
        let left = comparison.points.len().saturating_sub(shown);
        if left > 0 {
            notes.insert(0, format!("{} with smaller effects: --verbose shows all.", counted(left, "point", "points")));
        }
    }
    let sections = vec![
        Section::unheaded("points", blocks),
        Section::unheaded("counters", counters),
        Section::unheaded("notes", Block::some(Block::Notes, notes).into_iter().collect()),
    ];
    Document { sections, ..head(a, b, comparison) }
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
    let Tally { verdicts, largest, p75, median } = comparison.tally();
    let extent = |share: f64| format!("{:.1} %", share * 100.0);
    format!(
        "{}: {}; effects: largest {}, p75 {}, median {}",
        counted(comparison.points.len(), "point", "points"),
        verdicts_said(verdicts),
        percent(largest),
        extent(p75),
        extent(median)
    )
}

fn verdicts_said(Verdicts { slower, faster, same, unsure }: Verdicts) -> String {
    format!("{slower} regressed, {faster} improved, {same} unchanged, {unsure} unsure")
}

/// A ratio as an effect, and its p-value where it is called one.
pub(super) fn sentence(ratio: &Ratio) -> String {
    let p = if is_change(ratio.verdict) { format!(", {}", p_value(ratio.p_value)) } else { String::new() };
    format!("{}: {}{p}", verdict(ratio.verdict), effect(ratio))
}

/// How much dearer B is, with its interval.
fn effect(Ratio { ratio, .. }: &Ratio) -> String {
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(|end| (end - 1.0) * 100.0);
    format!("{value:+.1} % ({low:+.1} … {high:+.1})")
}

/// The verdicts as people read them, of rows and of their sum.
pub(super) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "improved",
        Verdict::Slower => "regressed",
        Verdict::Same => "unchanged",
        Verdict::Unsure => "unsure",
    }
}

const fn is_change(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

/// The p-value where it decides something.
fn decides(verdict: Verdict, p: f64) -> String {
    if is_change(verdict) { p_digits(p) } else { String::new() }
}

/// Cycles of both sides.
fn cycles(of: &PointComparison) -> String {
    if of.cycles_a == of.cycles_b { of.cycles_a.to_string() } else { format!("{}+{}", of.cycles_a, of.cycles_b) }
}

/// A value with half of its interval.
fn spread(value: String, of: Estimate) -> String {
    let half_width = of.relative_half_width() * 100.0;
    if half_width > 0.0 && half_width.is_finite() { format!("{value} ±{half_width:.0} %") } else { value }
}

fn cost(of: Estimate) -> String {
    spread(nanos(of.value), of)
}

/// The points by their effects.
fn whole(comparison: &Comparison) -> Table {
    let points = comparison.by_effect();
    let names = names(&points);
    let row = |(of, name): (&&PointComparison, &String)| {
        let said = verdict(of.ratio.verdict).to_owned();
        let p = decides(of.ratio.verdict, of.ratio.p_value);
        [cost(of.cost_a), cost(of.cost_b), effect(&of.ratio), said, p, cycles(of), name.clone()]
    };
    let headings = ["A", "B", "effect (95 %)", "verdict", "p", "n", "point"];
    let mut table = Table::of_words(headings, points.iter().zip(&names).map(row));
    for at in [0, 1, 2, 4, 5] {
        table.columns[at].align = Align::Right;
    }
    table
}

/// Those with the largest effects, in lines of 80 columns, and what must be said of them.
fn narrow(comparison: &Comparison, shown: usize) -> (Table, Vec<String>) {
    let points: Vec<&PointComparison> = comparison.by_effect().into_iter().take(shown).collect();
    let row = |of: &&PointComparison| {
        let Ratio { ratio, p_value, verdict: found } = of.ratio;
        let delta = match found {
            Verdict::Unsure => "~".into(),
            Verdict::Same => verdict(found).into(),
            Verdict::Faster | Verdict::Slower => percent(ratio.value - 1.0),
        };
        [cost(of.cost_a), cost(of.cost_b), delta, decides(found, p_value), cycles(of)].to_vec()
    };
    let names = names(&points);
    let headings = ["A", "B", "delta", "p", "n"];
    let (table, common) = named(&names, &[], &headings, points.iter().map(row).collect());
    let is_of_probe = comparison.form == Form::Reference;
    let hour = if is_of_probe { ", B as fast as the machine was for A" } else { "" };
    let statistic = comparison.statistic;
    let legend =
        format!("A and B: {statistic} of time{hour}; ± half the 95 % interval of each run by itself; ~ unsure.");
    (table, [legend].into_iter().chain(common).collect())
}

/// Rows with names before their figures, as long as there is room for, and what all of the names have in common.
fn named(names: &[String], before: &[String], headings: &[&str], rows: Vec<Vec<String>>) -> (Table, Option<String>) {
    let (start, end) = common(names);
    let own: Vec<String> = names.iter().map(|name| name[start.len()..name.len() - end.len()].to_owned()).collect();
    let said = match (start.as_str(), end.as_str()) {
        ("", "") => None,
        (start, "") => Some(format!("All points begin with `{start}`.")),
        ("", end) => Some(format!("All points end in `{end}`.")),
        (start, end) => Some(format!("All points begin with `{start}` and end in `{end}`.")),
    };
    let length = |cell: &str| cell.chars().count();
    let width = |at: usize| rows.iter().map(|row| length(&row[at])).chain([length(headings[at])]).max().unwrap_or(0);
    let others = before.iter().map(|cell| length(cell)).max().map_or(0, |width| width + 2);
    let figures: usize = (0..headings.len()).map(|at| width(at) + 2).sum();
    let room = LINE.saturating_sub(figures + others + 2).max(12);
    let first = (!before.is_empty()).then_some("counter");
    let rows = distinct(&own, room).into_iter().zip(rows).enumerate();
    let rows = rows.map(|(at, (name, row))| before.get(at).cloned().into_iter().chain([name]).chain(row));
    let rows: Vec<Vec<String>> = rows.map(Iterator::collect).collect();
    let mut table = Table::of_words(first.into_iter().chain(["point"]).chain(headings.iter().copied()), rows);
    table.columns.iter_mut().skip(1 + usize::from(first.is_some())).for_each(|column| column.align = Align::Right);
    (table, said)
}

/// The labels of points without what says nothing of one: the strategy where all have it, and that a call touches what it declares.
fn names(points: &[&PointComparison]) -> Vec<String> {
    let first = points.first().map(|of| &of.point.strategy);
    let alike = points.iter().all(|of| Some(&of.point.strategy) == first);
    let name = |of: &&PointComparison| {
        let (label, pages) = (of.point.label(), of.point.touched_pages());
        let name = if alike { label.replacen(&format!(" under {}", of.point.strategy), "", 1) } else { label };
        let is_whole = pages == of.point.initial_pages();
        if is_whole { name.replacen(&format!(" touching {pages}"), "", 1) } else { name }
    };
    points.iter().map(name).collect()
}

/// What was counted: in a line if nothing changed, otherwise the largest changes too.
fn counters(comparison: &Comparison, shown: usize, is_narrow: bool) -> Vec<Block> {
    let verdicts = comparison.counted();
    if verdicts.total() == 0 {
        return Vec::new();
    }
    let changed = comparison.changed_counters();
    let words = |name: &str| name.replace('_', " ");
    if changed.is_empty() {
        let kinds = comparison.points.first().map(|of| &of.counters);
        let kinds: Vec<String> = kinds.into_iter().flatten().map(|of| words(&of.counter)).collect();
        let unsure = if verdicts.unsure > 0 {
            format!(", {} of {} unsure", verdicts.unsure, verdicts.total())
        } else {
            String::new()
        };
        return vec![Block::Notes(vec![format!("Counted ({}): no change{unsure}.", kinds.join(", ")).into()])];
    }
    let left = changed.len().saturating_sub(shown);
    let changed = &changed[..changed.len() - left];
    let row = |(_, of): &(&PointComparison, &CounterComparison)| {
        let ratio = of.ratio();
        let delta = if ratio.is_finite() { percent(ratio - 1.0) } else { "from 0".into() };
        let number = |side: Estimate| spread(number(&of.counter, side.value), side);
        vec![number(of.a), number(of.b), delta, decides(of.verdict, of.p_value)]
    };
    let rows = changed.iter().map(row).collect();
    let points: Vec<&PointComparison> = changed.iter().map(|(point, _)| *point).collect();
    let (names, kinds) = (names(&points), changed.iter().map(|(_, of)| words(&of.counter)).collect::<Vec<_>>());
    let headings = ["A", "B", "delta", "p"];
    let (table, common) = if is_narrow {
        named(&names, &kinds, &headings, rows)
    } else {
        let rows = rows.into_iter().zip(kinds.iter().zip(&names));
        let rows: Vec<Vec<String>> =
            rows.map(|(row, (kind, name))| [vec![kind.clone()], row, vec![name.clone()]].concat()).collect();
        let mut table = Table::of_words(["counter", "A", "B", "delta", "p", "point"], rows);
        table.columns[1..5].iter_mut().for_each(|column| column.align = Align::Right);
        (table, None)
    };
    let more = (left > 0).then(|| format!(" {left} more: --verbose shows all."));
    let said = format!("Counted: {}.{}", verdicts_said(verdicts), more.unwrap_or_default());
    vec![Block::Table(table), Block::Notes([Some(said), common].into_iter().flatten().map(Into::into).collect())]
}

/// A number of a counter, for people.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a median of counts is one, or between two"
)]
fn number(name: &str, number: f64) -> String {
    let counters = EXPERIMENTS.iter().flat_map(|experiment| experiment.counters);
    let counter: Option<&Counter> = counters.into_iter().find(|counter| counter.name == name);
    match counter {
        Some(Counter { count: Count::AllocatedBytes | Count::PeakBytes, .. }) => size(Bytes(number.round() as u64)),
        _ => number.round().to_string(),
    }
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
