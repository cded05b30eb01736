use super::part::{Content, Part};
use crate::report::Story;
use crate::report::document::{Document, Section};

/// The sections in their order, pictures included.
const PARTS: [Part; 13] = [
    Part { id: "fee", heading: "Proposed fee", content: Content::Blocks(super::fee::blocks) },
    Part { id: "verdict", heading: "Against the table in force", content: Content::Blocks(super::verdict::blocks) },
    super::cost::PART,
    super::phases::PART,
    super::strategies::PART,
    Part { id: "effects", heading: "What moves the cost of a call", content: Content::Blocks(super::effects::blocks) },
    super::residuals::PART,
    super::over_run::PART,
    super::stack::PART,
    super::held_out::PART,
    Part { id: "points", heading: "Points", content: Content::Blocks(super::points::blocks) },
    Part { id: "machine", heading: "Machine", content: Content::Blocks(super::machine::blocks) },
    Part { id: "repeat", heading: "Repeat it", content: Content::Blocks(super::machine::repeat) },
];

/// Everything about a run.
#[must_use]
pub fn page(story: &Story<'_>) -> Document {
    let run = story.run;
    let sections = PARTS.map(|part| Section::new(part.id, part.heading, part.blocks(story)));
    Document {
        title: format!("{}: run {}", run.plan.experiment.title, run.run),
        about: story.about(format!("{}; {}", run.machine.summary(), run.created)),
        sections: sections.into_iter().filter(|section| !section.blocks.is_empty()).collect(),
        footer: format!("estimator {}, Wasmtime {}", run.estimator, run.wasmtime),
        ..Document::default()
    }
}
