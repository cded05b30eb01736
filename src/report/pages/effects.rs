//! What moves the cost of a call, or of something else that is done.

use serde_json::{Value, json};

use super::ways;
use crate::experiment::{Levels, Source};
use crate::model::Effect;
use crate::report::Story;
use crate::report::document::{Document, Table};
use crate::report::passage::Passage;
use crate::report::words::{nanos, or_dash, times};
use crate::units::Pages;

/// How many properties are named as those that explain most.
const NAMED: usize = 3;

/// Version of `effects.json`.
const FORMAT: u32 = 1;

/// The page of a run that explains.
#[must_use]
pub fn page(story: &Story<'_>) -> Document {
    let (machine, experiment) = (story.run.machine.summary(), story.fit.experiment);
    let compares = !experiment.compares.is_empty();
    let title = if compares { format!("{}: run", experiment.title) } else { "Run".into() };
    Document {
        title: format!("{title} {}", story.run.run),
        about: if compares { story.about(machine) } else { vec![machine] },
        sections: passages(story).into_iter().map(Passage::section).collect(),
        ..Document::default()
    }
}

/// What `effects.json` holds.
#[must_use]
pub fn json(story: &Story<'_>) -> Value {
    json!({ "format": FORMAT, "run": story.run.run, "strategy": story.chain.strategy, "effects": story.effects })
}

/// The same for a section of the run's page.
pub(in crate::report) fn passages(story: &Story<'_>) -> Vec<Passage> {
    match story.effects {
        [] => Vec::new(),
        [first, ..] if first.compared.is_some() => ways::passages(story),
        _ => vec![ratios(story), phases(story)],
    }
}

/// Every property beside its absence, the dearest at the smallest size first.
fn ratios(story: &Story<'_>) -> Passage {
    let sizes = sizes(story);
    let row = |surroundings: &Levels| {
        let cell = |&pages: &Pages| or_dash(at(story, surroundings, pages).map(|effect| times(effect.ratio)));
        std::iter::once(said(story, surroundings)).chain(sizes.iter().map(cell)).collect::<Vec<_>>()
    };
    let headings = std::iter::once("what is not usual".to_owned()).chain(sizes.iter().map(Pages::to_string));
    let table = Table::of_figures(headings, ordered(story).iter().map(row));
    let mut sentences = vec![most(story), format!("[node] says: {}.", story.chain.node.process())];
    sentences.push(format!(
        "Cost under {} over the cost of the same call with nothing beside it, right after its like and with cold caches, with half of \
         the 95 % interval.",
        story.chain.strategy
    ));
    Passage::new("effects", "What moves the cost of a call", table, sentences)
}

/// Which single properties explain most of what the smallest call costs.
fn most(story: &Story<'_>) -> String {
    let Some(&smallest) = sizes(story).first() else { return String::new() };
    let single = |surroundings: &&Levels| surroundings.unusual().count() == 1;
    let ordered = ordered(story);
    let dearer = ordered.iter().filter(single).filter_map(|surroundings| at(story, surroundings, smallest));
    let named: Vec<String> = dearer
        .filter(|effect| effect.is_dearer())
        .take(NAMED)
        .map(|effect| format!("{} (× {:.2})", said(story, &effect.surroundings()), effect.ratio.value))
        .collect();
    if named.is_empty() {
        format!("No property alone makes a call of {smallest} measurably dearer.")
    } else {
        format!("Most of what a call of {smallest} costs beyond the least: {}.", named.join(", "))
    }
}

/// Where the time of the smallest call goes.
fn phases(story: &Story<'_>) -> Passage {
    let smallest = sizes(story).first().copied().unwrap_or_default();
    let row = |surroundings: &Levels| {
        let found = at(story, surroundings, smallest)?;
        let phases = found.fit.phases.iter().map(|phase| phase.median.to_string());
        let row = [said(story, surroundings), nanos(found.fit.cost.value)].into_iter().chain(phases);
        Some(row.collect::<Vec<_>>())
    };
    let names = story.run.plan.experiment.phases.iter().map(|phase| phase.name.replace('_', " "));
    let headings = ["what is not usual", "cost"].map(str::to_owned).into_iter().chain(names);
    let table = Table::of_figures(headings, ordered(story).iter().filter_map(row));
    Passage::new("phases", format!("Phases of a call of {smallest}"), table, Vec::new())
}

fn sizes(story: &Story<'_>) -> Vec<Pages> {
    let mut sizes: Vec<Pages> = story.effects.iter().map(|effect| effect.fit.point.initial_pages()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn at<'a>(story: &Story<'a>, surroundings: &Levels, pages: Pages) -> Option<&'a Effect> {
    story
        .effects
        .iter()
        .find(|effect| effect.fit.point.initial_pages() == pages && effect.surroundings() == *surroundings)
}

/// The surroundings by what they cost at the smallest size.
fn ordered(story: &Story<'_>) -> Vec<Levels> {
    let smallest = sizes(story).first().copied().unwrap_or_default();
    let mut found: Vec<&Effect> =
        story.effects.iter().filter(|effect| effect.fit.point.initial_pages() == smallest).collect();
    found.sort_by(|a, b| b.ratio.value.total_cmp(&a.ratio.value));
    found.into_iter().map(Effect::surroundings).collect()
}

/// What is not usual, the process of the chain's node by that name.
fn said(story: &Story<'_>, surroundings: &Levels) -> String {
    let process = surroundings.of_source(Source::Process);
    let node = story.chain.node.of_source(Source::Process);
    if process == Levels::default() || process != node {
        return surroundings.phrases(true).collect::<Vec<_>>().join(", ");
    }
    let conditions = surroundings.of_source(Source::Condition);
    conditions.phrases(true).chain(["beside the node's process".into()]).collect::<Vec<_>>().join(", ")
}
