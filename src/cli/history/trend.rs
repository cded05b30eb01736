use std::path::Path;

use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::cli::exit::{Exit, UsageError};
use crate::cli::out;
use crate::history::{Access, Figure, History, LineKind, Record, Selection, SeriesKey};
use crate::model::Form;
use crate::params::{GROW_PER_PAGE, INIT_BASE, INIT_PER_PAGE};
use crate::report::{TrendLine, pages, render};

/// Draws figures over the runs of one machine, with the places where they changed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator history trend
  estimator history trend --param memory_init_base --line charge --form absolute --last 1000
  estimator history trend --format html > trend.html")]
pub struct Trend {
    /// Only this parameter
    #[arg(long, value_name = "NAME")]
    param: Option<String>,
    /// What memory costs (the line of least error), or the charge that covers it
    #[arg(long, value_enum)]
    line: Option<Line>,
    /// Time, or time over the reference probe
    #[arg(long, value_enum)]
    form: Option<FormName>,
    /// Machine class [default: that of the newest run]
    #[arg(long, value_name = "CLASS")]
    machine: Option<String>,
    /// How many runs
    #[arg(long, value_name = "N", default_value_t = 400)]
    last: u32,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: TrendFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Line {
    Cost,
    Charge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormName {
    Absolute,
    Normalised,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TrendFormat {
    Human,
    Html,
    Csv,
    Json,
}

/// What is shown unless asked otherwise: what the gate looks at.
const USUAL: [(&str, LineKind); 3] =
    [(INIT_PER_PAGE, LineKind::Cost), (INIT_BASE, LineKind::Cost), (GROW_PER_PAGE, LineKind::Charge)];

pub fn execute(file: &Path, args: &Trend) -> anyhow::Result<Exit> {
    let history = History::open(file, Access::Read)?;
    let newest = Selection { machine: args.machine.clone(), last: Some(1), measured: true, ..Selection::default() };
    let Some(newest) = history.records(&newest)?.pop() else {
        let of = args.machine.as_ref().map_or_else(String::new, |machine| format!(" of machine {machine}"));
        return Err(UsageError(format!("{} has no measured run{of}", file.display())).into());
    };
    let records = records(&history, &newest.key(), args.last)?;
    let lines: Vec<TrendLine> = figures(args).iter().filter_map(|figure| TrendLine::new(figure, &records)).collect();
    if lines.is_empty() {
        return Err(UsageError("no run has such a figure: `estimator history show RUN` lists them".into()).into());
    }
    let about = about(&newest, &records);
    match args.format {
        TrendFormat::Human => out::show(&render::terminal(&pages::trend::brief(&about, &lines)))?,
        TrendFormat::Html => out::data(&render::html(&pages::trend::page(&about, &lines, &footer()))?)?,
        TrendFormat::Csv => out::data(&render::csv(pages::trend::rows(&lines))?)?,
        TrendFormat::Json => {
            let json = serde_json::json!({ "format": 1, "machine": newest.machine, "trends": lines });
            out::json(&json)?;
        }
    }
    Ok(Exit::Fine)
}

/// The page of all gated figures of a series.
pub fn trend_page(history: &History, key: &SeriesKey) -> anyhow::Result<String> {
    let records = records(history, key, 400)?;
    let newest = records.last().context("there is no measured run")?;
    let figures = USUAL.iter().flat_map(|(param, line)| both(param, *line));
    let lines: Vec<TrendLine> = figures.filter_map(|figure| TrendLine::new(&figure, &records)).collect();
    Ok(render::html(&pages::trend::page(&about(newest, &records), &lines, &footer()))?)
}

fn records(history: &History, key: &SeriesKey, last: u32) -> anyhow::Result<Vec<Record>> {
    let selection = Selection { series: Some(key.clone()), last: Some(last), measured: true, ..Selection::default() };
    Ok(history.records(&selection)?)
}

fn both(param: &str, line: LineKind) -> [Figure; 2] {
    [Form::Absolute, Form::Normalised].map(|form| Figure::new(param, line, form))
}

/// The figures that are asked for.
fn figures(args: &Trend) -> Vec<Figure> {
    let line = args.line.map(|line| match line {
        Line::Cost => LineKind::Cost,
        Line::Charge => LineKind::Charge,
    });
    let form = args.form.map(|form| match form {
        FormName::Absolute => Form::Absolute,
        FormName::Normalised => Form::Normalised,
    });
    let pairs: Vec<(String, LineKind)> = match (&args.param, line) {
        (None, None) => USUAL.iter().map(|(param, line)| ((*param).to_owned(), *line)).collect(),
        (Some(param), Some(line)) => vec![(param.clone(), line)],
        (Some(param), None) => {
            let usual = USUAL.iter().find(|(name, _)| name == param).map_or(LineKind::Charge, |(_, line)| *line);
            vec![(param.clone(), usual)]
        }
        (None, Some(line)) => USUAL.iter().map(|(param, _)| ((*param).to_owned(), line)).collect(),
    };
    let all = pairs.iter().flat_map(|(param, line)| both(param, *line));
    // A terminal shows one form of each unless asked: the steadier one.
    let html = matches!(args.format, TrendFormat::Human) && form.is_none();
    all.filter(|figure| form.map_or(!html || figure.form == Form::Normalised, |form| figure.form == form)).collect()
}

fn about(newest: &Record, records: &[Record]) -> String {
    format!(
        "Machine {}, {}, {} of {}, {} runs",
        newest.machine,
        newest.cpu,
        newest.statistic,
        newest.strategy,
        records.len()
    )
}

fn footer() -> String {
    format!("estimator {}", env!("CARGO_PKG_VERSION"))
}
