use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::app::history::{export_runs, import_runs};
use crate::cli::exit::Exit;
use crate::cli::out::{self, Kind, tell};
use crate::files::write_whole;
use crate::text::counted;

/// Writes all runs as JSON, one a line
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  estimator history export --out machine-a.jsonl")]
pub struct Export {
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Only those of this machine class
    #[arg(long, value_name = "CLASS")]
    machine: Option<String>,
}

/// Adds the runs of other histories; runs that are there already are left as they are, unless they have ended since
///
/// Runs keep their order within each file. What they alerted of is taken as told.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  estimator history import machine-a.jsonl machine-b.jsonl
  estimator history export --history other.sqlite | estimator history import -")]
pub struct Import {
    /// Files that `export` wrote, or other histories; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn export(file: &Path, args: &Export) -> anyhow::Result<Exit> {
    let records = export_runs(file, args.machine.as_deref())?;
    match &args.out {
        Some(file) => write_whole(file, out::safe(Kind::Strings, &records).as_bytes())?,
        None => _ = out::put(Kind::Strings, &records)?,
    }
    Ok(Exit::Fine)
}

pub fn import(file: &Path, args: &Import) -> anyhow::Result<Exit> {
    let imported = import_runs(file, &args.files, &mut io::stdin())?;
    let known = counted(imported.known, "was there", "were there");
    tell!("{} added, {known}", counted(imported.added, "run", "runs"));
    Ok(Exit::Fine)
}
