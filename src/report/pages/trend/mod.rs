//! Figures over the nights.

mod chart;
mod drawing;

use crate::history::METHOD;
use crate::model::Form;
use crate::report::TrendLine;
use crate::report::document::{Block, Document, Figure, Section, Table};
use crate::report::words::{nanos, or_dash, percent};

/// Rows of the table of runs.
const ROWS: usize = 60;

/// Figures over the nights.
#[must_use]
pub fn page(about: &str, lines: &[TrendLine], footer: &str) -> Document {
    let mut sections = Vec::new();
    for (id, form, heading) in [
        ("time", Form::Absolute, "Time"),
        ("over-probe", Form::Normalised, "Time over the reference probe, by which nights compare best"),
    ] {
        let mut blocks = Vec::new();
        for line in lines.iter().filter(|line| line.figure.form == form) {
            let figure = Figure { chart: chart::chart(line), caption: caption(line), file: None };
            blocks.push(Block::Figure(Box::new(figure)));
            if let Some(told) = Block::some(Block::List, told(line)) {
                blocks.extend([Block::Warning("Confirmed and told:".into()), told]);
            }
        }
        if !blocks.is_empty() {
            sections.push(Section::new(id, heading, blocks));
        }
    }
    sections.push(Section::new("runs", "Runs", vec![Block::Table(runs(lines))]));
    Document {
        title: "Memory fee over the nights".into(),
        about: vec![about.into(), format!("Changes of level by {METHOD}.")],
        sections,
        footer: footer.into(),
        ..Document::default()
    }
}

/// The same in lines of 80 columns: a picture for each figure, its changes below.
#[must_use]
pub fn brief(about: &str, lines: &[TrendLine]) -> Document {
    let section = |line: &TrendLine| {
        let changes =
            line.changes().into_iter().map(|(run, change)| format!("changed {} with {}", percent(change), run.run));
        let mut said: Vec<String> = changes.collect();
        if said.is_empty() {
            said.push("one level".into());
        }
        said.extend(line.slope_sentence());
        said.extend(told(line).map(|told| format!("told: {told}")));
        let blocks = [Some(Block::Lines(drawing::drawing(line))), Block::some(Block::Notes, said)];
        Section::new("figure", line.figure.to_string(), blocks.into_iter().flatten().collect())
    };
    let sections = lines.iter().map(section).collect();
    Document { title: about.into(), sections, footer: format!("Changes of level by {METHOD}."), ..Document::default() }
}

fn told(line: &TrendLine) -> impl Iterator<Item = String> {
    line.runs.iter().flat_map(|run| run.told.clone())
}

fn caption(line: &TrendLine) -> String {
    let level =
        line.levels.last().map_or_else(String::new, |level| format!(" The present level is {}.", nanos(level.nanos)));
    let slope = line.slope_sentence().map_or_else(String::new, |sentence| format!(" Trend: {sentence}."));
    format!("{}.{level}{slope}", line.figure)
}

/// The last runs with every figure.
fn runs(lines: &[TrendLine]) -> Table {
    let headings = std::iter::once("run".to_owned()).chain(lines.iter().map(|line| line.figure.to_string()));
    let mut table = Table::of_figures(headings);
    let names: Vec<&str> = lines.iter().take(1).flat_map(|line| &line.runs).map(|run| run.run.as_str()).collect();
    for name in names.iter().rev().take(ROWS) {
        let value =
            |line: &TrendLine| or_dash(line.runs.iter().find(|run| run.run == *name).map(|run| nanos(run.nanos.value)));
        table.push(std::iter::once((*name).to_owned()).chain(lines.iter().map(value)));
    }
    table.titled(format!("The last {} runs, newest first", names.len().min(ROWS)))
}
