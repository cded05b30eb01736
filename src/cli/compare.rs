use std::path::{Path, PathBuf};

use clap::Args;

use super::analysis::fit_settings;
use super::exit::{Exit, UsageError};
use super::format::Format;
use super::mixing::Mixing;
use super::out;
use super::{run_folder, stored_samples};
use crate::measure::{RunFile, Samples};
use crate::model::{Comparison, Verdict, compare, of_strategy};
use crate::params::ChainSettings;
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
pub fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(percent),
        _ => Err("write a percentage from 0 to 1000".to_owned()),
    }
}

struct Side {
    run: RunFile,
    chain: ChainSettings,
    samples: Samples,
}

pub fn execute(args: &Compare) -> anyhow::Result<Exit> {
    let (a, b) = (side(&args.a)?, side(&args.b)?);
    args.mixing.check(&a.run, &b.run)?;
    let comparison = compare(&a.samples, &b.samples, &fit_settings(&a.chain, a.run.plan.seed), args.threshold / 100.0)?;
    print(args, &comparison)?;
    Ok(match comparison.overall.verdict {
        _ if !args.exit_code => Exit::Fine,
        Verdict::Same => Exit::Fine,
        Verdict::Unsure => Exit::Noisy,
        Verdict::Faster | Verdict::Slower => Exit::Changed,
    })
}

fn side(name: &Path) -> anyhow::Result<Side> {
    let text = name.to_string_lossy();
    let (folder, strategy) = match text.rsplit_once('@') {
        Some((folder, strategy)) if !name.exists() => (Path::new(folder), Some(strategy)),
        _ => (name, None),
    };
    let folder = run_folder(folder)?;
    let run = folder.read()?;
    let mut samples = stored_samples(&folder, &run)?;
    if let Some(strategy) = strategy {
        samples = of_strategy(&samples, strategy);
        if samples.points.is_empty() {
            return Err(UsageError(format!("run {} has no samples under `{strategy}`", run.run)).into());
        }
    }
    let chain = super::chain::of_run(&folder)?;
    Ok(Side { run, chain, samples })
}

fn print(args: &Compare, comparison: &Comparison) -> anyhow::Result<()> {
    let [a, b] = [&args.a, &args.b].map(|side| side.to_string_lossy());
    match args.format {
        Format::Human => out::show(&render::terminal(&pages::comparison::brief(&a, &b, comparison)))?,
        Format::Markdown => out::data(&render::markdown(&pages::comparison::page(&a, &b, comparison)))?,
        Format::Json => out::json(comparison)?,
    }
    Ok(())
}
