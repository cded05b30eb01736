//! Figures over the nights.

mod chart;
mod drawing;

use crate::history::METHOD;
use crate::model::Form;
use crate::report::document::{Block, Document, Figure, Section, Table, Text};
use crate::report::words::{counted, key, nanos, or_dash, or_empty, percent};
use crate::report::{TrendLine, TrendRun};

/// Rows of the table of runs.
const ROWS: usize = 60;

/// Figures over the nights. `name` is how a run is named where it can lead to its page.
#[must_use]
pub fn page(about: &str, lines: &[TrendLine], footer: &str, name: fn(&str) -> Text) -> Document {
    let mut sections = Vec::new();
    for (id, form, heading) in [
        ("measured", Form::Measured, "Time as measured"),
        ("reference", Form::Reference, "Time on the reference machine, by which nights compare"),
    ] {
        let mut blocks = Vec::new();
        for line in lines.iter().filter(|line| line.figure.form == form) {
            blocks.push(Figure { chart: chart::chart(line), caption: caption(line) }.block());
            if let Some(told) = Block::some(Block::List, told(line)) {
                blocks.extend([Block::Warning("Confirmed and told:".into()), told]);
            }
        }
        if !blocks.is_empty() {
            sections.push(Section::new(id, heading, blocks));
        }
    }
    sections.push(Section::new("runs", "Runs", vec![Block::Table(runs(lines, name))]));
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
fn runs(lines: &[TrendLine], name: fn(&str) -> Text) -> Table {
    let all: Vec<&TrendRun> = lines.iter().take(1).flat_map(|line| &line.runs).collect();
    let row = |run: &&TrendRun| {
        let of = |line: &TrendLine| line.runs.iter().find(|of| of.run == run.run).map(|of| nanos(of.nanos.value));
        let node = or_dash(Some(&run.node).filter(|node| !node.is_empty()));
        let figures = lines.iter().map(|line| or_dash(of(line)));
        let words = [node, or_dash(run.verdict.map(|verdict| verdict.to_string()))].into_iter().chain(figures);
        std::iter::once(name(&run.run)).chain(words.map(Text::from)).collect::<Vec<_>>()
    };
    let figures = lines.iter().map(|line| line.figure.to_string());
    let headings = ["run", "node", "verdict"].map(str::to_owned).into_iter().chain(figures);
    let title = format!("The last {}, newest first", counted(all.len().min(ROWS), "run", "runs"));
    Table::of_figures(headings, all.iter().rev().take(ROWS).map(row)).titled(title)
}

/// A row for each figure of each run, under the names of the columns. Numbers are in nanoseconds, as short as they read back the same.
#[must_use]
pub fn rows(lines: &[TrendLine]) -> Vec<[String; 10]> {
    let columns = ["run", "node", "created", "param", "line", "form", "nanos", "low", "high", "level"];
    let mut rows = vec![columns.map(str::to_owned)];
    for TrendLine { figure, runs, levels, .. } in lines {
        for (at, run) in runs.iter().enumerate() {
            let level = levels.iter().find(|level| (level.start..level.end).contains(&at));
            let [value, low, high] = [run.nanos.value, run.nanos.low, run.nanos.high].map(|nanos| nanos.to_string());
            let [line, form] = [key(figure.line), key(figure.form)];
            let level = or_empty(level.map(|level| level.nanos));
            rows.push([
                run.run.clone(),
                run.node.clone(),
                run.created.clone(),
                figure.param.clone(),
                line,
                form,
                value,
                low,
                high,
                level,
            ]);
        }
    }
    rows
}
