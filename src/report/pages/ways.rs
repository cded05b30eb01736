//! Ways of doing the same, each held against the usual one.

use crate::experiment::{Count, Counter, Experiment, Factor, Point};
use crate::model::{CounterFit, Effect, PointFit};
use crate::report::Story;
use crate::report::document::Table;
use crate::report::passage::Passage;
use crate::report::words::{interval, nanos, times, times_more};

/// A passage for each factor that the experiment compares.
pub(super) fn passages(story: &Story<'_>) -> Vec<Passage> {
    story.fit.experiment.compares.iter().filter_map(|factor| passage(story, factor)).collect()
}

fn passage(story: &Story<'_>, factor: &'static Factor) -> Option<Passage> {
    let experiment = story.fit.experiment;
    let effects: Vec<&Effect> = story.effects.iter().filter(|of| of.compared.as_deref() == Some(factor.name)).collect();
    let first = effects.first()?;
    let varies = |other: &&&'static Factor| {
        let level = |point: &Point| point.level(other);
        **other != factor && effects.iter().any(|of| level(&of.fit.point) != level(&first.fit.point))
    };
    let others: Vec<&'static Factor> = experiment.factors.iter().filter(varies).copied().collect();
    let row = |found: &PointFit, ratio: String| {
        let shown = |factor: &Factor| factor.shown(found.point.level(factor));
        let levels = std::iter::once(shown(factor)).chain(others.iter().map(|other| shown(other)));
        let times = [nanos(found.measured.value), interval(&found.measured), ratio];
        let counted = counters(experiment, found).map(|(counter, of)| counted(counter, of));
        levels.chain(times).chain(counted).collect::<Vec<_>>()
    };
    let mut rows = Vec::new();
    let mut done: Vec<Point> = Vec::new();
    for effect in &effects {
        let group = effect.fit.point.apart_from(factor);
        if done.contains(&group) {
            continue;
        }
        rows.extend(usual(story, factor, &group).map(|found| row(found, "usual".into())));
        let alike = effects.iter().filter(|of| of.fit.point.apart_from(factor) == group);
        rows.extend(alike.map(|of| row(&of.fit, ratio(of))));
        done.push(group);
    }
    let words = |factor: &Factor| factor.name.replace('_', " ");
    let headings = std::iter::once(words(factor)).chain(others.iter().map(|other| words(other)));
    let headings = headings.chain(["time", "95 % interval", "× the usual"].map(str::to_owned));
    let headings = headings.chain(counters(experiment, &first.fit).map(|(counter, _)| counter.name.replace('_', " ")));
    let mut levels: Vec<u64> = effects.iter().map(|of| of.fit.point.level(factor)).collect();
    levels.sort_unstable();
    levels.dedup();
    let mut sentences: Vec<String> = levels.iter().map(|&level| sentence(factor, level, &effects, &others)).collect();
    sentences
        .push("Times are as measured, private caches cold; ~ stands where the interval of a ratio holds 1.".into());
    let table = Table::of_figures(headings, rows);
    Some(Passage::new(factor.name, format!("By {}", words(factor)), table, sentences))
}

/// The point of a group at which the factor is usual.
fn usual<'a>(story: &Story<'a>, factor: &'static Factor, group: &Point) -> Option<&'a PointFit> {
    let fitted = story.own().into_iter().flat_map(|own| &own.points);
    let mut all = fitted.chain(story.effects.iter().map(|of| &of.fit));
    all.find(|found| found.point.level(factor) == factor.usual && found.point.apart_from(factor) == *group)
}

/// All counters but for preemptions, which are the machine's.
fn counters<'a>(
    experiment: &'static Experiment,
    found: &'a PointFit,
) -> impl Iterator<Item = (&'static Counter, &'a CounterFit)> {
    experiment.counters.iter().zip(&found.counters).filter(|(of, _)| of.count != Count::InvoluntarySwitches)
}

/// The median, and where cycles differ their least and most.
fn counted(counter: &Counter, of: &CounterFit) -> String {
    let median = counter.shown(of.median);
    if of.least == of.most {
        median
    } else {
        format!("{median} ({} … {})", counter.shown(of.least), counter.shown(of.most))
    }
}

fn ratio(effect: &Effect) -> String {
    let told = if effect.ratio.holds(1.0) { " ~" } else { "" };
    format!("{}{told}", times(effect.ratio))
}

/// What one way costs against the usual one: more, less, or nothing that shows.
fn sentence(factor: &Factor, level: u64, effects: &[&Effect], others: &[&'static Factor]) -> String {
    let (way, usual) = (factor.shown(level), factor.shown(factor.usual));
    let of: Vec<&Effect> = effects.iter().copied().filter(|of| of.fit.point.level(factor) == level).collect();
    let (dearer, rest): (Vec<&Effect>, Vec<&Effect>) = of.iter().copied().partition(|of| of.ratio.low > 1.0);
    let (cheaper, same): (Vec<&Effect>, Vec<&Effect>) = rest.into_iter().partition(|of| of.ratio.high < 1.0);
    let place = |of: &&Effect| {
        let levels: Vec<String> = others.iter().map(|other| other.shown(of.fit.point.level(other))).collect();
        levels.join("/")
    };
    let range = |of: &[&Effect]| {
        let ends = of
            .iter()
            .map(|of| of.ratio.value)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
        match of {
            [_] => times_more(ends.0),
            _ => format!("{} to {}", times_more(ends.0), times_more(ends.1)),
        }
    };
    let all = |some: &[&Effect]| some.len() == of.len();
    if all(&same) {
        return format!("{way}: no difference from {usual} shows here.");
    }
    let told = [(&dearer, "costs more"), (&cheaper, "costs less")];
    if let Some((some, what)) = told.iter().find(|(some, _)| all(some)) {
        return format!("{way} {what} than {usual} everywhere: {}.", range(some));
    }
    let at = |some: &[&Effect]| some.iter().map(place).collect::<Vec<_>>().join(", ");
    let mut parts: Vec<String> = told
        .iter()
        .filter(|(some, _)| !some.is_empty())
        .map(|(some, what)| format!("{what} than {usual} at {} ({})", at(some), range(some)))
        .collect();
    if !same.is_empty() {
        parts.push(format!("no difference shows at {}", at(&same)));
    }
    format!("{way}: {}.", parts.join("; "))
}
