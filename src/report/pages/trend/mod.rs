//! Figures over the nights.

mod chart;
mod drawing;

use serde::Serialize;

use crate::history::{LineKind, METHOD};
use crate::model::Form;
use crate::report::TrendLine;
use crate::report::document::{Block, Document, Figure, Section, Table};
use crate::report::words::{nanos, or_dash, or_empty, percent};

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
            blocks.push(Figure { chart: chart::chart(line), caption: caption(line), file: None }.block());
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
    let names: Vec<&str> = lines.iter().take(1).flat_map(|line| &line.runs).map(|run| run.run.as_str()).collect();
    let row = |name: &&str| {
        let found = |line: &TrendLine| line.runs.iter().find(|run| run.run == *name).map(|run| nanos(run.nanos.value));
        std::iter::once((*name).to_owned()).chain(lines.iter().map(|line| or_dash(found(line)))).collect::<Vec<_>>()
    };
    let headings = std::iter::once("run".to_owned()).chain(lines.iter().map(|line| line.figure.to_string()));
    let title = format!("The last {} runs, newest first", names.len().min(ROWS));
    Table::of_figures(headings, names.iter().rev().take(ROWS).map(row)).titled(title)
}

/// A figure of a run. Numbers are in nanoseconds, as short as they read back the same.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    run: &'a str,
    created: &'a str,
    param: &'a str,
    line: LineKind,
    form: Form,
    nanos: String,
    low: String,
    high: String,
    level: String,
}

/// A row for each figure of each run.
#[must_use]
pub fn rows(lines: &[TrendLine]) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for line in lines {
        for (at, run) in line.runs.iter().enumerate() {
            let level = line.levels.iter().find(|level| (level.start..level.end).contains(&at));
            rows.push(Row {
                run: &run.run,
                created: &run.created,
                param: &line.figure.param,
                line: line.figure.line,
                form: line.figure.form,
                nanos: run.nanos.value.to_string(),
                low: run.nanos.low.to_string(),
                high: run.nanos.high.to_string(),
                level: or_empty(level.map(|level| level.nanos)),
            });
        }
    }
    rows
}
