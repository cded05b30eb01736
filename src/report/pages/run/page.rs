use super::PICTURES;
use super::factors;
use super::part::{Content, Part};
use crate::report::Story;
use crate::report::document::{Document, Section};

const BEFORE_PICTURES: [&Part; 2] = [
    &Part { id: "fee", heading: "Proposed fee", content: Content::Blocks(super::fee::blocks) },
    &Part { id: "verdict", heading: "Against the table in force", content: Content::Blocks(super::verdict::blocks) },
];
const AFTER_PICTURES: [&Part; 4] = [
    &Part { id: "effects", heading: "What moves the cost of a call", content: Content::Blocks(super::effects::blocks) },
    &Part { id: "points", heading: "Points", content: Content::Blocks(super::points::blocks) },
    &Part { id: "machine", heading: "Machine", content: Content::Blocks(super::machine::blocks) },
    &Part { id: "repeat", heading: "Repeat it", content: Content::Blocks(super::machine::repeat) },
];

/// Everything about a run.
#[must_use]
pub fn page(story: &Story<'_>) -> Document {
    if !story.is_of_memory() {
        return factors::page(story);
    }
    let run = story.run;
    let parts = BEFORE_PICTURES.into_iter().chain(PICTURES).chain(AFTER_PICTURES);
    let sections = parts.map(|part| Section::new(part.id, part.heading, part.blocks(story)));
    Document {
        title: format!("{}: run {}", run.plan.experiment.title, run.run),
        about: story.about(format!("{}; {}", run.machine.summary(), run.created)),
        sections: sections.filter(|section| !section.blocks.is_empty()).collect(),
        footer: format!("estimator {}, Wasmtime {}", run.estimator, run.wasmtime),
        ..Document::default()
    }
}
