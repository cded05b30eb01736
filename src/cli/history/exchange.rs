use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use crate::cli::exit::{Exit, UsageError};
use crate::cli::out::{self, Kind, tell};
use crate::files::write_whole;
use crate::history::{Access, History, Selection, read_records, write_records};
use crate::text::decoded;

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

/// Adds the runs of other histories; runs that are there already are left as they are
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
    let history = History::open(file, Access::Read)?;
    let records = history.records(&Selection { machine: args.machine.clone(), ..Selection::default() })?;
    let records = write_records(&records);
    match &args.out {
        Some(file) => write_whole(file, out::safe(Kind::Strings, &records).as_bytes())?,
        None => _ = out::put(Kind::Strings, &records)?,
    }
    Ok(Exit::Fine)
}

pub fn import(file: &Path, args: &Import) -> anyhow::Result<Exit> {
    // Everything is read before anything is written, so that a broken file adds nothing.
    let mut all = Vec::new();
    for source in &args.files {
        all.extend(read(source)?);
    }
    let count = all.len();
    let new = History::open(file, Access::Write)?.append(&all, true)?;
    tell!("{} runs added, {} were there", new.len(), count - new.len());
    Ok(Exit::Fine)
}

fn read(source: &Path) -> anyhow::Result<Vec<crate::history::Record>> {
    if source == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().read_to_end(&mut bytes).and_then(|_| decoded(bytes));
        return Ok(read_records(&read.context("cannot read standard input")?, Path::new("standard input"))?);
    }
    if !source.is_file() {
        return Err(UsageError(format!("no file {}", source.display())).into());
    }
    let bytes = fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return Ok(History::open(source, Access::Read)?.records(&Selection::default())?);
    }
    let text = decoded(bytes).with_context(|| format!("{} is neither JSON nor a history", source.display()))?;
    Ok(read_records(&text, source)?)
}
