use super::TrendLine;
use crate::history::METHOD;
use crate::model::Form;
use crate::report::ReportError;
use crate::report::grid::Grid;
use crate::report::page::{Block, Figure, Page, PageSection};
use crate::report::plot::{Axis, Chart, Ink, Mark, Scale, Series, Shape};
use crate::units::Nanos;

/// Rows of the table of runs.
const ROWS: usize = 60;

/// Trends as a page: one file that needs neither network nor script.
///
/// # Errors
/// A picture or the page cannot be made; no input is known with which that happens.
pub fn trend_html(about: &str, lines: &[TrendLine], footer: &str) -> Result<String, ReportError> {
    let mut sections = Vec::new();
    for (id, form, heading) in [
        ("time", Form::Absolute, "Time"),
        ("over-probe", Form::Normalised, "Time over the reference probe, by which nights compare best"),
    ] {
        let mut blocks = Vec::new();
        for line in lines.iter().filter(|line| line.figure.form == form) {
            blocks.push(Block::Figure(Figure::new(&chart(line), caption(line))?));
            let told: Vec<String> = line.runs.iter().flat_map(|run| run.told.clone()).collect();
            if !told.is_empty() {
                blocks.push(Block::Warning("Confirmed and told:".into()));
                blocks.push(Block::List(told));
            }
        }
        if !blocks.is_empty() {
            sections.push(PageSection { id, heading: heading.into(), blocks });
        }
    }
    sections.push(runs(lines));
    let page = Page {
        title: "Memory fee over the nights".into(),
        about: vec![about.into(), format!("Changes of level by {METHOD}.")],
        sections,
        footer: footer.into(),
    };
    page.html()
}

/// The line as percentages of its last level, so that all figures share an axis that people can read.
fn chart(line: &TrendLine) -> Chart {
    let now = line.levels.last().map_or(line.runs[0].nanos.value, |level| level.nanos);
    let share = |nanos: f64| nanos / now - 1.0;
    let place = |at: usize| f64::from(u32::try_from(at + 1).unwrap_or(u32::MAX));
    let mark = |(at, run): (usize, &super::TrendRun)| Mark {
        x: place(at),
        y: share(run.nanos.value),
        // The interval of a covering line need not hold its value, and then says nothing about it.
        interval: run.nanos.holds(run.nanos.value).then(|| (share(run.nanos.low), share(run.nanos.high))),
        title: format!(
            "{}: {} ({} … {})",
            run.run,
            Nanos(run.nanos.value),
            Nanos(run.nanos.low),
            Nanos(run.nanos.high)
        ),
    };
    let marks: Vec<Mark> = line.runs.iter().enumerate().map(mark).collect();
    let levels = line.levels.iter().flat_map(|level| {
        let y = share(level.nanos);
        // A gap parts one level from the next.
        [(place(level.start) - 0.5, y), (place(level.end - 1) + 0.5, y), (f64::NAN, f64::NAN)]
    });
    let ends = marks
        .iter()
        .flat_map(|mark| [Some(mark.y), mark.interval.map(|ends| ends.0), mark.interval.map(|ends| ends.1)]);
    let y = Axis::percent("against the present level", ends.flatten());
    Chart {
        name: "trend",
        alternative: alternative(line),
        x: nights(line),
        y,
        right: None,
        series: vec![
            Series { name: "run, with its 95 % interval".into(), ink: Ink::Series(0), shape: Shape::Marks(marks) },
            Series { name: "level".into(), ink: Ink::Series(1), shape: Shape::Line(levels.collect()) },
        ],
    }
}

/// Runs from left to right, with the day of some.
fn nights(line: &TrendLine) -> Axis {
    const TICKS: usize = 6;
    let count = line.runs.len();
    let step = count.div_ceil(TICKS).max(1);
    let place = |at: usize| f64::from(u32::try_from(at + 1).unwrap_or(u32::MAX));
    let tick = |at: usize| (place(at), line.runs[at].created.get(..10).unwrap_or_default().to_owned());
    let ticks = (0..count).step_by(step).map(tick).collect();
    Axis { title: "runs, oldest first".into(), scale: Scale::Linear, low: 0.0, high: place(count), ticks }
}

fn caption(line: &TrendLine) -> String {
    let level =
        line.levels.last().map_or_else(String::new, |level| format!(" The present level is {}.", Nanos(level.nanos)));
    let slope = line.slope_sentence().map_or_else(String::new, |sentence| format!(" Trend: {sentence}."));
    format!("{}.{level}{slope}", line.figure)
}

fn alternative(line: &TrendLine) -> String {
    let changes: Vec<String> =
        line.changes().iter().map(|(run, change)| format!("{:+.1} % with {}", change * 100.0, run.run)).collect();
    let changes = if changes.is_empty() { "one level".into() } else { format!("changes: {}", changes.join(", ")) };
    format!("{} over {} runs; {changes}.", line.figure, line.runs.len())
}

/// The last runs with every figure.
fn runs(lines: &[TrendLine]) -> PageSection {
    let headers = std::iter::once("run".to_owned()).chain(lines.iter().map(|line| line.figure.to_string()));
    let mut grid = Grid { headers: headers.collect(), ..Grid::default() };
    let names: Vec<&str> =
        lines.first().map(|line| line.runs.iter().map(|run| run.run.as_str()).collect()).unwrap_or_default();
    for name in names.iter().rev().take(ROWS) {
        let value = |line: &TrendLine| {
            line.runs
                .iter()
                .find(|run| run.run == *name)
                .map_or_else(|| "–".into(), |run| Nanos(run.nanos.value).to_string())
        };
        grid.rows.push(std::iter::once((*name).to_owned()).chain(lines.iter().map(value)).collect());
    }
    let title = format!("The last {} runs, newest first", names.len().min(ROWS));
    PageSection { id: "runs", heading: "Runs".into(), blocks: vec![Block::Table { title, grid }] }
}
