use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::Exit;
use super::format::Format;
use super::mixing::Mixing;
use super::out;
use super::session::in_session;
use crate::app::{self, CompareRequest, Side};
use crate::model::Verdict;
use crate::report::{pages, render};

/// Compares two runs, or two strategies, with intervals and a verdict
///
/// B is held against A: faster, slower, the same within the threshold, or unsure.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator compare reports/monday reports/tuesday
  estimator compare reports/latest@fresh-map reports/latest@pool-keep-resident
  estimator compare reports/monday reports/tuesday --threshold 3 --exit-code")]
pub struct Compare {
    /// A run, or RUN@STRATEGY for one strategy of it
    #[arg(value_name = "A")]
    a: PathBuf,
    /// What is held against it
    #[arg(value_name = "B")]
    b: PathBuf,
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

/// A threshold in percent.
pub fn percent(text: &str) -> Result<f64, &'static str> {
    app::percentage(text.parse().unwrap_or(f64::NAN))
}

pub fn execute(args: &Compare) -> anyhow::Result<Exit> {
    let (a, b, mixing) = (side(&args.a), side(&args.b), args.mixing.into());
    let request = CompareRequest { a, b, threshold: args.threshold, mixing };
    let comparison = in_session(|session| app::compare(&request, session))?;
    let [a, b] = [&args.a, &args.b].map(|side| side.to_string_lossy());
    match args.format {
        Format::Human => out::show(&render::terminal(&pages::comparison::brief(&a, &b, &comparison)))?,
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

fn side(name: &Path) -> Side {
    match name.to_str().and_then(|name| name.rsplit_once('@')) {
        Some((run, strategy)) if !name.exists() => Side { run: run.into(), strategy: Some(strategy.into()) },
        _ => name.into(),
    }
}
