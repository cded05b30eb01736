use std::path::PathBuf;

use crate::app::error::Error;
use crate::history::{Access, Figure, History, HistoryError, LineKind, Record, Selection, SeriesKey};
use crate::model::Form;
use crate::params::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE};
use crate::report::document::{Document, Text};
use crate::report::{TrendLine, pages, render};
use crate::text::counted;

/// Which figures of which runs to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrendRequest {
    /// The history.
    pub history: PathBuf,
    /// Only this parameter; `None` for what the gate looks at.
    pub param: Option<String>,
    /// What memory costs, or the charge that covers it; `None` for what the gate looks at.
    pub line: Option<LineKind>,
    /// Time as measured, or on the reference machine; `None` for both.
    pub form: Option<Form>,
    /// The machine class; `None` for that of the newest run.
    pub machine: Option<String>,
    /// The last so many runs.
    pub last: u32,
}

/// Figures over the runs of one series.
#[derive(Debug, Clone)]
pub struct Trend {
    /// The newest run.
    pub newest: Record,
    /// How many runs there are.
    pub runs: usize,
    /// The figures, of which there is one at least.
    pub lines: Vec<TrendLine>,
}

/// What is drawn unless asked otherwise: what the gate looks at.
const USUAL: [(&str, LineKind); 3] =
    [(INIT_PER_PAGE, LineKind::Cost), (INIT_BASE, LineKind::Cost), (GROW_PER_PAGE, LineKind::Charge)];

/// Runs that a page of the whole trend shows.
pub(crate) const WHOLE: u32 = 400;

/// Draws figures over the runs of the series that the newest run is of.
///
/// # Errors
/// The history is not there, cannot be read, or holds no run with such a figure.
pub fn trend(request: &TrendRequest) -> Result<Trend, Error> {
    let file = &request.history;
    let history = History::open(file, Access::Read)?;
    let newest = Selection { machine: request.machine.clone(), last: Some(1), measured: true, ..Selection::default() };
    let Some(newest) = history.records(&newest)?.pop() else {
        let of = request.machine.as_ref().map_or_else(String::new, |machine| format!(" of machine {machine}"));
        return Err(Error::Usage(format!("{} has no measured run{of}", file.display())));
    };
    let records = trend_runs(&history, &newest.key(), request.last)?;
    let lines = lines(&figures(request), &records);
    if lines.is_empty() {
        return Err(Error::Usage("no run has such a figure: `estimator history show RUN` lists them".into()));
    }
    Ok(Trend { newest, runs: records.len(), lines })
}

/// The last so many runs of a series.
pub(crate) fn trend_runs(history: &History, key: &SeriesKey, last: u32) -> Result<Vec<Record>, HistoryError> {
    let selection = Selection { series: Some(key.clone()), last: Some(last), measured: true, ..Selection::default() };
    history.records(&selection)
}

/// All gated figures of a series.
pub(crate) fn whole_trend(history: &History, key: &SeriesKey) -> Result<Trend, Error> {
    trend_of(&trend_runs(history, key, WHOLE)?).ok_or_else(|| Error::Failed("there is no measured run".into()))
}

/// All gated figures of runs of one series; `None` without a run.
pub(crate) fn trend_of(records: &[Record]) -> Option<Trend> {
    let newest = records.last()?.clone();
    let figures: Vec<Figure> = USUAL.iter().flat_map(|(param, line)| both(param, *line)).collect();
    Some(Trend { newest, runs: records.len(), lines: lines(&figures, records) })
}

impl Trend {
    /// What it is of, in a sentence.
    #[must_use]
    pub fn about(&self) -> String {
        let Record { machine, cpu, statistic, strategy, reference, .. } = &self.newest;
        let on = if reference.is_empty() { String::new() } else { format!(" on {reference}") };
        format!("Machine {machine}, {cpu}, {statistic} of {strategy}{on}, {}", counted(self.runs, "run", "runs"))
    }

    /// The page.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn page(&self) -> Result<String, Error> {
        Ok(render::html(&self.document(|run| run.into()))?)
    }

    /// The same apart from how it looks; `name` is how a run is named where it can lead to its page.
    #[must_use]
    pub fn document(&self, name: fn(&str) -> Text) -> Document {
        let footer = concat!("estimator ", env!("CARGO_PKG_VERSION"));
        pages::trend::page(&self.about(), &self.lines, footer, name)
    }
}

fn lines(figures: &[Figure], records: &[Record]) -> Vec<TrendLine> {
    figures.iter().filter_map(|figure| TrendLine::new(figure, records)).collect()
}

/// On the reference machine, and the charge that covers the times as measured, through which there is no line of least error.
fn both(param: &str, line: LineKind) -> [Figure; 2] {
    [Figure::new(param, LineKind::Charge, Form::Measured), Figure::new(param, line, Form::Reference)]
}

/// The figures that are asked for.
fn figures(request: &TrendRequest) -> Vec<Figure> {
    let usual = |name: &str| USUAL.iter().find(|(usual, _)| *usual == name).map(|(_, line)| *line);
    let params: Vec<&str> = match &request.param {
        Some(param) => vec![param],
        None => USUAL.iter().map(|(param, _)| *param).collect(),
    };
    let line = |param: &str| request.line.or(usual(param)).unwrap_or(LineKind::Charge);
    let all = params.into_iter().flat_map(|param| both(param, line(param)));
    all.filter(|figure| request.form.is_none_or(|form| figure.form == form)).collect()
}
