mod exchange;
mod list;
mod show;
mod trend;
mod upkeep;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::exit::Exit;

/// Recorded runs and their trends
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator history list
  estimator history trend --param memory_init_per_page
  estimator history trend --format html > trend.html
  estimator history export > machine-a.jsonl
  estimator history import machine-a.jsonl machine-b.jsonl --history all.sqlite
  estimator history rebuild reports")]
pub struct History {
    /// The history
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "ESTIMATOR_HISTORY",
        default_value = "reports/history.sqlite"
    )]
    history: PathBuf,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    List(list::List),
    Show(show::Show),
    Trend(trend::Trend),
    Prune(upkeep::Prune),
    Export(exchange::Export),
    Import(exchange::Import),
    Check(upkeep::Check),
    Rebuild(upkeep::Rebuild),
}

pub fn execute(args: &History) -> anyhow::Result<Exit> {
    let file = &args.history;
    match &args.action {
        Action::List(args) => list::execute(file, args),
        Action::Show(args) => show::execute(file, args),
        Action::Trend(args) => trend::execute(file, args),
        Action::Prune(args) => upkeep::prune(file, args),
        Action::Export(args) => exchange::export(file, args),
        Action::Import(args) => exchange::import(file, args),
        Action::Check(args) => upkeep::check(file, args),
        Action::Rebuild(args) => upkeep::rebuild(file, args),
    }
}
