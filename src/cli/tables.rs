//! Where a parameter table comes from: a file, a run, or a file in a git revision.

use std::path::{Path, PathBuf};

use super::exit::{Exit, RefusedError, UsageError};
use super::git;
use super::objected::warn;
use super::session::in_session;
use crate::app::{Analysis, run_folder};
use crate::params::ParamTable;
use crate::text::name_of;

/// A table, and what its origin says of it.
pub struct Sourced {
    pub table: ParamTable,
    /// Why the fit behind it must not be used. Only a run can tell.
    pub rejected: Vec<String>,
}

/// The table of `TABLE`: a file, a run folder, which is fitted, or `REV:FILE`.
pub fn load(source: impl AsRef<Path>) -> anyhow::Result<Sourced> {
    let path = source.as_ref();
    if path.is_dir() {
        let run = run_folder(path)?;
        let analysis = in_session(|session| Analysis::of_run(run, None, None, session))?;
        let (table, rejected) = analysis.proposal()?;
        return Ok(Sourced { table, rejected });
    }
    if path.exists() {
        return Ok(Sourced { table: ParamTable::load(path)?, rejected: Vec::new() });
    }
    let source = name_of(path);
    match source.split_once(':') {
        Some((revision, file)) if !revision.is_empty() && !file.is_empty() => at(revision, Path::new(file)),
        _ => Err(UsageError(format!("no table {source}: `estimator run` writes params/proposed.toml")).into()),
    }
}

/// The same, for a use that a rejected fit must not have.
pub fn usable(source: impl AsRef<Path>) -> anyhow::Result<Sourced> {
    let source = source.as_ref();
    let sourced = load(source)?;
    if sourced.rejected.is_empty() {
        return Ok(sourced);
    }
    let message = format!("the fit of {} must not be used: {}", source.display(), sourced.rejected.join("; "));
    Err(RefusedError { message, exit: Exit::Rejected }.into())
}

/// The same, with what speaks against the table said on standard error.
pub fn told(source: impl AsRef<Path>) -> anyhow::Result<Sourced> {
    let source = source.as_ref();
    let sourced = usable(source)?;
    warn(source.display(), &sourced.table);
    Ok(sourced)
}

/// The table in `file` as it was in a git revision.
pub fn at(revision: &str, file: &Path) -> anyhow::Result<Sourced> {
    let name = PathBuf::from(format!("{revision}:{}", file.display()));
    let table = ParamTable::parse(&git::file_at(revision, file)?, &name)?;
    Ok(Sourced { table, rejected: Vec::new() })
}

/// The table of `TABLE`, fit for use, where no more than its values matters. What speaks against it is said.
pub fn table(source: &Path) -> anyhow::Result<ParamTable> {
    Ok(told(source)?.table)
}
