use super::{framed, machine, name, part, within};
use crate::history::Record;
use crate::params::{INIT_BASE, INIT_PER_PAGE};
use crate::report::document::{Block, Document, Section, Table, Text};
use crate::report::pages::history::{self, cost, verdict};
use crate::report::words::{counted, nanos, or_dash};
use crate::units::GasUnit;

/// Runs, the newest first, of so many that there are. `older` leads to those that follow.
#[must_use]
pub fn runs(records: &[Record], all: u64, older: Option<&str>) -> Document {
    let row = |record: &Record| {
        let cost = |param| Text::from(or_dash(cost(record, param).map(|estimate| nanos(estimate.value))));
        let words = [record.created.clone(), verdict(record)].map(Text::from);
        let [created, verdict] = words;
        [name(&record.run), machine(record), created, verdict, cost(INIT_PER_PAGE), cost(INIT_BASE)]
    };
    let headings = ["run", "machine", "planned", "verdict", "a page", "base"];
    let table = Table::of_figures(headings, records.iter().map(row)).block();
    let mut blocks = vec![table.unwrap_or_else(|| Block::Text("There is none.".into()))];
    blocks.extend(older.map(|older| Block::Lead(Text::leading("Older runs", older))));
    let about = vec![format!(
        "{} of {}. Costs are those of the line of least error.",
        records.len(),
        counted(all, "run", "runs")
    )];
    framed("Runs", about, vec![Section::new("runs", "Runs", blocks)])
}

/// One run, its gas in the unit that people read it in; its report is at the same place.
#[must_use]
pub fn run(record: &Record, unit: Option<&GasUnit>, has_report: bool) -> Document {
    let mut document = within(history::record(record, unit));
    document.title = format!("Run {}", record.run);
    let report = Text::leading("Its report, with pictures", format!("/runs/{}/report", part(&record.run)));
    let links = [has_report.then_some(report), Some(machine(record))].into_iter().flatten().collect();
    document.sections.insert(0, Section::new("more", "More of it", vec![Block::List(links)]));
    document
}
