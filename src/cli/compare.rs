use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::{Exit, UsageError};
use super::format::Format;
use super::mixing::Mixing;
use super::out;
use super::session::in_session;
use crate::app::{self, CompareRequest, Filter, Side};
use crate::model::Verdict;
use crate::report::{pages, render};

/// Compares two runs, or two strategies, with intervals and a verdict
///
/// B is held against A, point by point: regressed, improved, unchanged within the threshold, or unsure.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator compare reports/monday reports/tuesday
  estimator compare reports/latest@fresh-map reports/latest@pool-keep-resident
  estimator compare reports/monday reports/tuesday --threshold 3 --exit-code
  estimator compare reports/monday reports/tuesday --filter '/pages17-' \\
      --verbose
  estimator compare --baseline before        # with the newest run")]
pub struct Compare {
    /// A run, or RUN@STRATEGY for one strategy of it, and what is held against it; with --baseline only the latter
    /// [default then: reports/latest]
    #[arg(value_name = "RUN", num_args = 0..=2)]
    runs: Vec<PathBuf>,
    /// The run that goes by this name, which `run --save-baseline` gave it, in the folder of the other; it takes the place of the first
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,
    /// Only points with this regular expression in their names
    #[arg(long, value_name = "REGEX")]
    filter: Option<Filter>,
    /// Show all points with their whole names, and not only what fits into 45 lines of 80 columns
    #[arg(long)]
    verbose: bool,
    /// Smallest change of practical interest, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0, value_parser = percent)]
    threshold: f64,
    /// Exit with 3 on a change and with 4 if unsure
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    mixing: Mixing,
    /// How to show it
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

const LATEST: &str = "reports/latest";

/// A threshold in percent.
pub fn percent(text: &str) -> Result<f64, &'static str> {
    app::percentage(text.parse().unwrap_or(f64::NAN))
}

pub fn execute(args: &Compare) -> anyhow::Result<Exit> {
    let sides = sides(args)?;
    let [a, b] = sides.each_ref().map(|name| side(name));
    let filter = args.filter.clone();
    let request = CompareRequest { a, b, threshold: args.threshold, mixing: args.mixing.into(), filter };
    let comparison = in_session(|session| app::compare(&request, session))?;
    let [a, b] = sides.each_ref().map(|side| side.to_string_lossy());
    match args.format {
        Format::Human => out::show(&render::terminal(&pages::comparison::brief(&a, &b, &comparison, args.verbose)))?,
        Format::Markdown => out::data(&render::markdown(&pages::comparison::page(&a, &b, &comparison)))?,
        Format::Json => out::versioned_json(1, &comparison)?,
    }
    Ok(match comparison.overall.verdict {
        _ if !args.exit_code => Exit::Fine,
        Verdict::Same => Exit::Fine,
        Verdict::Unsure => Exit::Noisy,
        Verdict::Faster | Verdict::Slower => Exit::Changed,
    })
}

/// What is compared with what.
fn sides(args: &Compare) -> anyhow::Result<[PathBuf; 2]> {
    match (&args.baseline, &args.runs[..]) {
        (None, [a, b]) => Ok([a.clone(), b.clone()]),
        (Some(name), [run]) => Ok([beside(run, name)?, run.clone()]),
        (Some(name), []) => Ok([beside(Path::new(LATEST), name)?, LATEST.into()]),
        (Some(_), _) => Err(UsageError("with --baseline there is only one run to name".into()).into()),
        (None, _) => Err(UsageError("name two runs, or one and --baseline NAME".into()).into()),
    }
}

/// The run that goes by a name in the folder that the other is in.
fn beside(run: &Path, name: &str) -> Result<PathBuf, app::Error> {
    let reports = run.parent().filter(|folder| *folder != Path::new(""));
    app::baseline(reports.unwrap_or(Path::new(".")), name)
}

fn side(name: &Path) -> Side {
    match name.to_str().and_then(|name| name.rsplit_once('@')) {
        Some((run, strategy)) if !name.exists() => Side { run: run.into(), strategy: Some(strategy.into()) },
        _ => name.into(),
    }
}
