use std::path::PathBuf;

use clap::Args;

use super::exit::{Exit, UsageError};
use super::measuring::Measuring;
use super::out::tell;
use super::outputs::Outputs;
use super::session::in_session;
use crate::app::{self, PlanRequest, ResumeRequest, RunOutcome, RunRequest};
use crate::text::quoted;

/// Compiles the contracts, measures them, fits the model, and proposes the fee, or says what an experiment that proposes none found
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator run --contracts estimator-contracts
  estimator run --profile quick --strategy fresh-map
  estimator run --experiment strategies --threads 2
  estimator run --experiment load,stack,payload,source,cache --budget 60s
  estimator run --experiment strategies --workload params/workload.csv
  estimator run --budget 45s --seed 7 --params params/try.toml
  estimator run --filter '/pages(1|4|17|64)-' --save-baseline before
  estimator run --resume reports/latest")]
pub struct Run {
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    outputs: Outputs,
    /// In the strategies experiment: also what a call of this mix costs under each [a CSV file: pages, touched share, weight]
    #[arg(long, value_name = "FILE")]
    workload: Option<PathBuf>,
    /// Go on with a run that was interrupted or killed
    #[arg(long, value_name = "RUN", conflicts_with_all = ["contracts", "chain", "reference", "profile", "budget", "strategy", "seed", "shard", "out", "experiment", "threads", "require_toolchain", "workload", "node", "filter"])]
    resume: Option<PathBuf>,
    /// Call this run by a name from now on, for `compare --baseline NAME`: a file in baselines/ beside the folders of the runs
    #[arg(long, value_name = "NAME")]
    save_baseline: Option<String>,
}

pub fn execute(args: &Run) -> anyhow::Result<Exit> {
    if let Some(run) = &args.resume {
        if let Some(name) = &args.save_baseline {
            app::can_save_baseline(&run.join(".."), name)?;
        }
        let outcome = in_session(|session| {
            let params = args.outputs.params(app::experiment_of(run)?);
            app::resume(&ResumeRequest { run: run.clone(), params, current: args.outputs.current.clone() }, session)
        })?;
        return show(args, outcome);
    }
    let requests = args.measuring.requests();
    if let (Some(name), Some(plan)) = (&args.save_baseline, requests.first()) {
        app::can_save_baseline(&plan.out, name)?;
    }
    if requests.len() > 1 && (args.outputs.names_files() || args.save_baseline.is_some()) {
        let text = "each experiment has a table and a name of its own: leave --params, --current and --save-baseline out, or name one \
                    experiment alone";
        return Err(UsageError(text.into()).into());
    }
    let mut exit = Exit::Fine;
    for plan in requests {
        let params = args.outputs.params(plan.experiment);
        let plan = PlanRequest { workload: args.workload.clone(), ..plan };
        let request = RunRequest { plan, params, current: args.outputs.current.clone() };
        let outcome = in_session(|session| app::run(&request, session))?;
        let is_over = matches!(outcome, RunOutcome::Interrupted { .. });
        exit = exit.and(show(args, outcome)?);
        if is_over {
            break;
        }
    }
    Ok(exit)
}

fn show(args: &Run, outcome: RunOutcome) -> anyhow::Result<Exit> {
    match outcome {
        RunOutcome::Analysed(analysis) => {
            if let Some(name) = &args.save_baseline {
                let file = app::save_baseline(analysis.folder(), name)?;
                tell!("the run goes by the name {name}: {}", file.display());
            }
            args.outputs.show(&analysis, true)
        }
        RunOutcome::Shard { run, folder } => {
            let path = quoted(folder.path());
            let shard = run.shard.map(String::from).unwrap_or_default();
            tell!("shard {shard} is measured; when all are: estimator fit {path} OTHER...");
            Ok(Exit::Fine)
        }
        RunOutcome::Interrupted { run, folder } => {
            let path = quoted(folder.path());
            match run.rounds {
                Some(_) => tell!("interrupted; what was measured is kept. To go on: estimator run --resume {path}"),
                None => tell!("interrupted before anything was measured"),
            }
            Ok(Exit::Failed)
        }
    }
}
