use super::checks::checks;
use super::page::page;
use super::verdict::verdict;
use super::{alternatives, costs, factors, fee};
use crate::report::document::{Block, Document, Facts, Section};
use crate::report::passage::Passage;
use crate::report::{Story, notes};

/// A run in what a comment under a pull request has room for.
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
    let figures = page(story).figures().map(|figure| figure.clone().block()).collect();
    let sections = [
        Some(Section::unheaded("verdict", lead.into_iter().chain([verdict]).collect())),
        fee::fee(story).map(Passage::section),
        costs::charges(story).map(Passage::section),
        alternatives::alternatives(story).map(Passage::section),
        Some(costs::by_strategy(story).section()),
        costs::lines(story).map(Passage::section),
        section("checks", "Checks, with 95 % intervals", checks),
        section("notes", "Notes", Block::some(Block::List, notes(story))),
        section("rejected", "The fit must not be used", Block::some(Block::List, rejected)),
        Some(Section::new("pictures", "Pictures", figures)),
        section("repeat", "To repeat it", Some(Block::Code(story.run.command.clone()))),
    ];
    Document {
        title: format!("Run {}", story.run.run),
        about: story.about(story.run.machine.summary()),
        sections: sections.into_iter().flatten().collect(),
        ..Document::default()
    }
}
