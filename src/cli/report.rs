use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::analysis::{Analysis, fit_settings};
use super::compare::percent;
use super::exit::Exit;
use super::in_force::TableInForce;
use super::mixing::Mixing;
use super::out;
use super::{run_folder, stored_samples};
use crate::model::compare;
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
    /// What to show on standard output; of two runs it is markdown unless given
    #[arg(long, value_enum)]
    format: Option<ReportFormat>,
    /// The table in force, which the proposal is held against [default: that of the run, which keeps a copy]
    #[arg(long, value_name = "FILE")]
    current: Option<PathBuf>,
    /// Smallest change of practical interest, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    threshold: f64,
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
    let current = args.current.as_deref().map(TableInForce::named).transpose()?;
    let analysis = |run: &Path| {
        let analysis = Analysis::of_run(run_folder(run)?, None, current.clone())?;
        Ok::<_, anyhow::Error>(analysis.beyond(args.threshold))
    };
    let Some(other) = &args.other else {
        let analysis = analysis(&args.run)?;
        match args.format {
            None => out::show(&analysis.write_again()?)?,
            Some(ReportFormat::Html) => out::data(&render::html(&pages::run::page(&analysis.story()))?)?,
            Some(ReportFormat::Markdown) => out::data(&analysis.markdown())?,
            Some(ReportFormat::Csv) => out::data(&render::csv(pages::run::rows(&[analysis.story()]))?)?,
            Some(ReportFormat::Json) => out::json(&pages::run::json(&analysis.story()))?,
        }
        return Ok(analysis.exit());
    };
    let (folder_a, folder_b) = (run_folder(&args.run)?, run_folder(other)?);
    let (run_a, run_b) = (folder_a.read()?, folder_b.read()?);
    args.mixing.check(&run_a, &run_b)?;
    let chain = super::chain::of_run(&folder_a)?;
    let (samples_a, samples_b) = (stored_samples(&folder_a, &run_a)?, stored_samples(&folder_b, &run_b)?);
    let settings = fit_settings(&chain, run_a.plan.seed);
    let comparison = compare(&samples_a, &samples_b, &settings, args.threshold / 100.0)?;
    let (a, b) = (analysis(&args.run)?, analysis(other)?);
    let pair = Pair { a: a.story(), b: b.story(), comparison: &comparison };
    match args.format.unwrap_or(ReportFormat::Markdown) {
        ReportFormat::Html => out::data(&render::html(&pages::pair::page(&pair))?)?,
        ReportFormat::Markdown => out::data(&render::markdown(&pages::pair::page(&pair)))?,
        ReportFormat::Csv => out::data(&render::csv(pages::run::rows(&[pair.a, pair.b]))?)?,
        ReportFormat::Json => out::json(&pages::pair::json(&pair))?,
    }
    Ok(Exit::Fine)
}
