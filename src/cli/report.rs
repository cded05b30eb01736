use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::compare::percent;
use super::exit::Exit;
use super::mixing::Mixing;
use super::out;
use super::session::in_session;
use crate::app::{self, Analysis, Filter, ReportRequest, Reported};
use crate::report::{Pair, pages, render};

/// Makes the report of a run again from its stored samples, or puts two runs side by side
///
/// Without --format the files of one run are written into its folder again: report.html, summary.md, plots/ and fit.json. They
/// follow from the folder alone, and are the same from wherever the command is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator report reports/latest
  estimator report reports/latest --format markdown
  estimator report reports/latest --format csv > points.csv
  estimator report reports/monday reports/tuesday --format html > both.html")]
pub struct Report {
    /// Run folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A second run, to be shown beside the first and held against it
    #[arg(value_name = "RUN_B")]
    other: Option<PathBuf>,
    /// What to show on standard output; of two runs, and with --filter, it is markdown unless given
    #[arg(long, value_enum)]
    format: Option<ReportFormat>,
    /// The table in force, which the proposal is held against [default: that of the run, which keeps a copy]
    #[arg(long, value_name = "FILE")]
    current: Option<PathBuf>,
    /// Of strategies runs: another mix of calls than the one that they keep [a CSV file: pages, touched share, weight]
    #[arg(long, value_name = "FILE")]
    workload: Option<PathBuf>,
    /// Another reference machine than the one that the runs were planned with
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Smallest change of practical interest, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    threshold: f64,
    /// Only points with this regular expression in their names; the files of the run stay as they are
    #[arg(long, value_name = "REGEX")]
    filter: Option<Filter>,
    #[command(flatten)]
    mixing: Mixing,
}

/// How a report is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// A page of its own
    Html,
    /// A comment for a pull request
    Markdown,
    /// A row for each point; of two runs, those of the first and then those of the second
    Csv,
    /// Everything
    Json,
}

pub fn execute(args: &Report) -> anyhow::Result<Exit> {
    let request = ReportRequest {
        run: args.run.clone(),
        other: args.other.clone(),
        current: args.current.clone(),
        workload: args.workload.clone(),
        reference: args.reference.clone(),
        threshold: args.threshold,
        mixing: args.mixing.into(),
        filter: args.filter.clone(),
    };
    match in_session(|session| app::report(&request, session))? {
        Reported::One(analysis) => {
            let shown = args.filter.as_ref().and(Some(ReportFormat::Markdown));
            show(&analysis, args.format.or(shown))?;
            Ok(Exit::of_analysis(&analysis))
        }
        Reported::Two(two) => {
            show_pair(&two.pair(), args.format.unwrap_or(ReportFormat::Markdown))?;
            Ok(Exit::Fine)
        }
    }
}

fn show(analysis: &Analysis, format: Option<ReportFormat>) -> anyhow::Result<()> {
    match format {
        None => {
            analysis.write()?;
            out::show(&format!("{}\n", analysis.folder().path().join("report.html").display()))
        }
        Some(ReportFormat::Html) => out::data(&analysis.html()?),
        Some(ReportFormat::Markdown) => out::data(&analysis.markdown()),
        Some(ReportFormat::Csv) => out::data(&render::csv(pages::run::rows(&[analysis.story()]))?),
        Some(ReportFormat::Json) => out::json(&pages::run::json(&analysis.story())),
    }
}

fn show_pair(pair: &Pair<'_>, format: ReportFormat) -> anyhow::Result<()> {
    match format {
        ReportFormat::Html => out::data(&render::html(&pages::pair::page(pair))?),
        ReportFormat::Markdown => out::data(&render::markdown(&pages::pair::page(pair))),
        ReportFormat::Csv => out::data(&render::csv(pages::run::rows(&[pair.a, pair.b]))?),
        ReportFormat::Json => out::json(&pages::pair::json(pair)),
    }
}
