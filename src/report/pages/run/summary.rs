use super::checks::checks;
use super::verdict::verdict;
use super::{alternatives, costs, factors, fee};
use crate::report::document::{Block, Document, Facts, Section};
use crate::report::passage::Passage;
use crate::report::{Story, notes};

/// A run as a comment under a pull request: under 40 lines, and the rest folded away.
#[must_use]
pub fn summary(story: &Story<'_>) -> Document {
    if !story.is_of_memory() {
        return factors::summary(story);
    }
    let lead = fee::sentence(story).map(|fee| Block::Lead(fee.into()));
    let verdict = Block::Text(verdict(story).into());
    let checks = checks(story).into_iter().map(|(check, finding)| (check.to_string(), finding));
    let checks = story.model().map(|_| Block::Facts(Facts::new("", checks)));
    let rejected = story.fit.rejected.iter().map(ToString::to_string);
    let section = |id, heading: &str, block: Option<Block>| Some(Section::new(id, heading, vec![block?]));
    let charges = costs::charges(story).map(|charges| Section::unheaded("charges", charges.blocks()));
    let shown = [
        Some(Section::unheaded("verdict", std::iter::once(verdict).chain(lead).collect())),
        section("rejected", "The fit must not be used", Block::some(Block::List, rejected)),
        charges,
    ];
    let folded = [
        fee::fee(story).map(Passage::section),
        alternatives::alternatives(story).map(Passage::section),
        Some(costs::by_strategy(story).section()),
        costs::lines(story).map(Passage::section),
        section("checks", "Checks, with 95 % intervals", checks),
        section("notes", "Notes", Block::some(Block::List, notes(story))),
        section("repeat", "To repeat it", Some(Block::Code(story.run.command.clone()))),
    ];
    let folded = folded.into_iter().flatten().map(Section::folded);
    Document {
        title: format!("Run {}", story.run.run),
        about: story.about(story.run.machine.summary()),
        sections: shown.into_iter().flatten().chain(folded).collect(),
        ..Document::default()
    }
}
