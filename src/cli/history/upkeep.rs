use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::exit::{Exit, UsageError};
use crate::cli::nightly::{completed, make_again};
use crate::cli::out::{self, tell};
use crate::history::{Access, History, Lock, Record, Role, put_in_place, read_night, recover};
use crate::measure::RunFolder;

/// Takes old runs out of the history; their folders stay
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator history prune --keep 1000")]
pub struct Prune {
    /// How many runs of each machine stay, the newest
    #[arg(long, value_name = "N")]
    keep: u32,
}

/// Checks the file: its pages, indexes and references, and that every run is what was recorded
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator history check || estimator history rebuild reports")]
pub struct Check {}

/// Makes the history again from the folders of runs and from what can be read of the one that is there
///
/// The old one is set aside, never overwritten. What only it held, such as imported runs, what was alerted and what was pruned, is
/// taken over as far as it is what was recorded; what is lost is named.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator history rebuild reports --all")]
pub struct Rebuild {
    /// Where the folders of the runs are
    #[arg(value_name = "REPORTS")]
    reports: PathBuf,
    /// Also the runs that were made by hand, each after the nightly run that its clock had seen last
    #[arg(long)]
    all: bool,
}

pub fn prune(file: &Path, args: &Prune) -> anyhow::Result<Exit> {
    if !file.exists() {
        return Err(UsageError(format!("no history {}", file.display())).into());
    }
    let gone = History::open(file, Access::Write)?.prune(args.keep)?;
    for run in &gone {
        out::show(&format!("{run}\n"))?;
    }
    tell!("{} runs taken out", gone.len());
    Ok(Exit::Fine)
}

pub fn check(file: &Path, _: &Check) -> anyhow::Result<Exit> {
    let (found, runs) = History::examine(file)?;
    for line in &found {
        out::show(&format!("{line}\n"))?;
    }
    if found.is_empty() {
        out::show(&format!("{} is sound: {runs} runs\n", file.display()))?;
        return Ok(Exit::Fine);
    }
    tell!(
        "the history is damaged: `estimator history rebuild REPORTS` sets it aside and makes a new one from what can be read of it \
         and the run folders"
    );
    Ok(Exit::Failed)
}

pub fn rebuild(file: &Path, args: &Rebuild) -> anyhow::Result<Exit> {
    if !args.reports.is_dir() {
        return Err(UsageError(format!("no folder {}", args.reports.display())).into());
    }
    let _lock = Lock::take(&file.with_extension("lock"), &format!("process {}, rebuilding", std::process::id()))?;
    put_in_place(file)?;
    let mut records = Vec::new();
    for folder in recover(&args.reports)? {
        match record(&folder, args.all) {
            Ok(record) => records.extend(record),
            Err(error) => tell!("warning: {error:#}; the run is left out"),
        }
    }
    if records.is_empty() && !file.exists() {
        return Err(UsageError(format!("{} holds no run that could be recorded", args.reports.display())).into());
    }
    let made = make_again(file, records, |_, _| true)?;
    if let Some(moved) = &made.moved {
        tell!("the history that was there is now {}", moved.display());
    }
    tell!("{} runs recorded in {}: {}", made.read + made.from_folders, file.display(), made.sentence());
    Ok(if made.lost.is_some() { Exit::Failed } else { Exit::Fine })
}

/// The record of a folder; `None` for a run that has no place in a history.
fn record(folder: &Path, all: bool) -> anyhow::Result<Option<Record>> {
    if let Some(record) = read_night(folder)? {
        return Ok(Some(completed(record, folder)));
    }
    let run = RunFolder::at(folder).read()?;
    let whole = run.plan.experiment.proposes && run.shard.is_none();
    Ok((all && whole).then(|| completed(Record::planned(&run, 0, &run.run, Role::Single), folder)))
}
