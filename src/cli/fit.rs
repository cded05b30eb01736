use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::Exit;
use super::format::Format;
use super::mixing::Mixing;
use super::objected;
use super::out;
use super::outputs::Outputs;
use super::session::in_session;
use crate::app::{self, Analysis, Filter, FitRequest, Fitted};
use crate::experiment::MEMORY;
use crate::params::ParamTable;
use crate::report::{pages, render};

/// Fits the model and writes the table again from stored samples, without measuring
///
/// Several runs, or the shards of one plan, are put together.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator fit reports/latest
  estimator fit reports/shard-1 reports/shard-2 --params params/proposed.toml
  estimator fit reports/latest --chain params/other-chain.toml \\
      --params params/other.toml
  estimator fit reports/latest --workload params/workload.csv
  estimator fit reports/latest --filter '/pages(1|4|17|64)-' --verbose")]
pub struct Fit {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Other chain settings than those the runs were made with
    #[arg(long, value_name = "FILE")]
    chain: Option<PathBuf>,
    /// Another reference machine than the one that the runs were planned with
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Folder for the fit of several runs; that of one run goes into its own folder
    #[arg(long, value_name = "DIR", default_value = "reports/merged")]
    out: PathBuf,
    /// Of strategies runs: another mix of calls than the one that they keep [a CSV file: pages, touched share, weight]
    #[arg(long, value_name = "FILE")]
    workload: Option<PathBuf>,
    /// Only points with this regular expression in their names, to look at: nothing is written
    #[arg(long, value_name = "REGEX", conflicts_with_all = ["params", "out"])]
    filter: Option<Filter>,
    #[command(flatten)]
    mixing: Mixing,
    /// With --across-machines: an envelope of the machines whose fit can be signed; its notes name the others
    #[arg(long, requires = "across_machines")]
    without_rejected: bool,
    #[command(flatten)]
    outputs: Outputs,
}

pub fn execute(args: &Fit) -> anyhow::Result<Exit> {
    let first = args.runs.first().map_or(Ok(&MEMORY), |run| app::experiment_of(run))?;
    let request = FitRequest {
        runs: args.runs.clone(),
        chain: args.chain.clone(),
        reference: args.reference.clone(),
        out: args.out.clone(),
        mixing: args.mixing.into(),
        without_rejected: args.without_rejected,
        params: args.outputs.params(first),
        current: args.outputs.current.clone(),
        workload: args.workload.clone(),
        filter: args.filter.clone(),
    };
    match in_session(|session| app::fit(&request, session))? {
        Fitted::Together(analysis) => args.outputs.show(&analysis, args.filter.is_none()),
        Fitted::Apart { analyses, table: Some(table) } => {
            show_envelope(&analyses, &table, (&args.outputs, &request.params))
        }
        Fitted::Apart { analyses, table: None } => {
            let last = analyses.last();
            let brief =
                last.map(|analysis| render::terminal(&pages::run::brief(&analysis.story(), &[], args.outputs.verbose)));
            out::show(&brief.unwrap_or_default())?;
            Ok(if last.is_some_and(Analysis::is_unsigned) { Exit::Noisy } else { Exit::Rejected })
        }
    }
}

/// Shows several machines and what their upper envelope rests on.
fn show_envelope(
    analyses: &[Analysis],
    table: &ParamTable,
    (outputs, params): (&Outputs, &Path),
) -> anyhow::Result<Exit> {
    objected::warn(params.display(), table);
    let stories = || analyses.iter().map(Analysis::story);
    match outputs.format {
        Format::Json => {
            let parts: Vec<_> = analyses.iter().map(|analysis| analysis.json(params)).collect();
            out::json(&serde_json::json!({ "format": 1, "machines": parts }))?;
        }
        Format::Markdown => out::data(
            &stories().map(|story| render::markdown(&pages::run::summary(&story))).collect::<Vec<_>>().join("\n"),
        )?,
        Format::Human => {
            let parts = stories()
                .map(|story| render::terminal(&pages::run::brief(&story, &[], outputs.verbose)))
                .collect::<Vec<_>>()
                .join("\n");
            let notes = table.provenance.run.notes.join("\n  ");
            out::show(&format!("{parts}\nMachines\n  {notes}\n\nFiles\n  {}\n", params.display()))?;
        }
    }
    Ok(Exit::Fine)
}
