use std::path::{Path, PathBuf};

use clap::Args;

use crate::app::history::{self, RebuildRequest};
use crate::cli::exit::Exit;
use crate::cli::out::{self, tell};
use crate::cli::session::in_session;
use crate::text::counted;

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
    let gone = history::prune(file, args.keep)?;
    for run in &gone {
        out::show(&format!("{run}\n"))?;
    }
    tell!("{} taken out", counted(gone.len(), "run", "runs"));
    Ok(Exit::Fine)
}

pub fn check(file: &Path, _: &Check) -> anyhow::Result<Exit> {
    let (found, runs) = history::check(file)?;
    for line in &found {
        out::show(&format!("{line}\n"))?;
    }
    if found.is_empty() {
        out::show(&format!("{} is sound: {}\n", file.display(), counted(runs, "run", "runs")))?;
        return Ok(Exit::Fine);
    }
    tell!(
        "the history is damaged: `estimator history rebuild REPORTS` sets it aside and makes a new one from what can be read of it \
         and the run folders"
    );
    Ok(Exit::Failed)
}

pub fn rebuild(file: &Path, args: &Rebuild) -> anyhow::Result<Exit> {
    let request = RebuildRequest { history: file.into(), reports: args.reports.clone(), all: args.all };
    let made = in_session(|session| history::rebuild(&request, session))?;
    if let Some(moved) = &made.moved {
        tell!("the history that was there is now {}", moved.display());
    }
    let runs = counted(made.read + made.from_folders, "run", "runs");
    tell!("{runs} recorded in {}: {}", file.display(), made.sentence());
    Ok(if made.lost.is_some() { Exit::Failed } else { Exit::Fine })
}
