use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::app::error::{Error, system};
use crate::history::{Access, History, Record, Selection, read_records, write_records};
use crate::text::decoded;

/// What came of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Imported {
    /// Runs that were added.
    pub added: usize,
    /// Runs that were there already and stay as they are.
    pub known: usize,
}

/// All runs, or those of one machine class, as JSON, one a line.
///
/// # Errors
/// The history is not there or cannot be read.
pub fn export_runs(history: &Path, machine: Option<&str>) -> Result<String, Error> {
    let selection = Selection { machine: machine.map(str::to_owned), ..Selection::default() };
    Ok(write_records(&History::open(history, Access::Read)?.records(&selection)?))
}

/// Adds the runs of files that [`export_runs`] made, of other histories, and of `input` for `-`. What they told counts as told.
///
/// # Errors
/// A file is not there or is none of these: then nothing is added. The history cannot be written.
pub fn import_runs(history: &Path, files: &[PathBuf], input: &mut dyn Read) -> Result<Imported, Error> {
    // Everything is read before anything is written, so that a broken file adds nothing.
    let mut all = Vec::new();
    for source in files {
        all.extend(if source == Path::new("-") { read_input(input)? } else { read(source)? });
    }
    let added = History::open(history, Access::Write)?.append(&all, true)?.len();
    Ok(Imported { added, known: all.len() - added })
}

fn read_input(input: &mut dyn Read) -> Result<Vec<Record>, Error> {
    let mut bytes = Vec::new();
    let read = input.read_to_end(&mut bytes).and_then(|_| decoded(bytes));
    let text = read.map_err(system("cannot read standard input"))?;
    Ok(read_records(&text, Path::new("standard input"))?)
}

fn read(source: &Path) -> Result<Vec<Record>, Error> {
    if !source.is_file() {
        return Err(Error::Usage(format!("no file {}", source.display())));
    }
    let bytes = fs::read(source).map_err(system(format!("cannot read {}", source.display())))?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return Ok(History::open(source, Access::Read)?.records(&Selection::default())?);
    }
    let text = decoded(bytes).map_err(system(format!("{} is neither JSON nor a history", source.display())))?;
    Ok(read_records(&text, source)?)
}
