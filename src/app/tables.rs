//! Where a parameter table comes from: a file, a run, or a file in a git revision.

use std::path::{Path, PathBuf};

use super::analysis::Analysis;
use super::error::Error;
use super::git;
use super::overrides::Overrides;
use super::session::Session;
use super::stored::run_folder;
use crate::params::{ParamTable, Preset};
use crate::text::name_of;

/// Where a table is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableSource {
    /// A file, a run folder, which is fitted, or `REV:FILE`.
    Named(PathBuf),
    /// The table that ships, priced for a chain, with some keys of its chain file set otherwise.
    Shipped(Preset, Vec<(String, String)>),
    /// A file as it was in a git revision.
    Revision {
        /// What git takes for a revision.
        revision: String,
        /// The file.
        file: PathBuf,
    },
}

/// A table, and what its origin says of it.
#[derive(Debug, Clone)]
pub(super) struct Sourced {
    pub(super) table: ParamTable,
    /// Why the fit behind it must not be used. Only a run can tell.
    pub(super) rejected: Vec<String>,
}

impl TableSource {
    /// The table, whatever speaks against it.
    pub(super) fn load(&self, session: &Session<'_>) -> Result<Sourced, Error> {
        match self {
            Self::Named(path) => named(path, session),
            Self::Shipped(chain, set) => shipped(*chain, set, session),
            Self::Revision { revision, file } => at(revision, file),
        }
    }

    /// The same, for a use that a rejected fit must not have.
    pub(super) fn usable(&self, session: &Session<'_>) -> Result<ParamTable, Error> {
        let sourced = self.load(session)?;
        if sourced.rejected.is_empty() {
            return Ok(sourced.table);
        }
        let message = format!("the fit of {} must not be used: {}", self.name(), sourced.rejected.join("; "));
        Err(Error::Rejected(message))
    }

    /// The same, with what speaks against the table told.
    pub(super) fn told(&self, session: &Session<'_>) -> Result<ParamTable, Error> {
        let table = self.usable(session)?;
        object(&self.name(), &table, session);
        Ok(table)
    }

    /// What messages call it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Named(path) => path.display().to_string(),
            Self::Shipped(chain, _) => format!("the shipped table for {chain}"),
            Self::Revision { revision, file } => format!("{revision}:{}", file.display()),
        }
    }
}

impl<P: Into<PathBuf>> From<P> for TableSource {
    fn from(name: P) -> Self {
        Self::Named(name.into())
    }
}

/// Tells what speaks against a table, which is at `place`.
pub(super) fn object(place: &str, table: &ParamTable, session: &Session<'_>) {
    for objection in table.objections() {
        session.warn(&format!("{place}: {objection}"));
    }
}

fn named(path: &Path, session: &Session<'_>) -> Result<Sourced, Error> {
    if path.is_dir() {
        let (table, rejected) = Analysis::of_run(run_folder(path)?, Overrides::default(), session)?.proposal()?;
        return Ok(Sourced { table, rejected });
    }
    if path.exists() {
        return Ok(Sourced { table: ParamTable::load(path)?, rejected: Vec::new() });
    }
    let source = name_of(path);
    match source.split_once(':') {
        Some((revision, file)) if !revision.is_empty() && !file.is_empty() => at(revision, Path::new(file)),
        _ => Err(Error::Usage(format!(
            "no table {source}: `estimator run` writes params/proposed.toml if it can be signed, and `estimator promote` makes it \
             params/current.toml; what is not signed is in the folder of its run, such as reports/latest"
        ))),
    }
}

/// The shipped table, with a word on what it is: nobody should take it for what a chain charges.
fn shipped(chain: Preset, set: &[(String, String)], session: &Session<'_>) -> Result<Sourced, Error> {
    let settings = chain.settings(set).and_then(|settings| ParamTable::shipped(&settings));
    let table = settings.map_err(|error| Error::Usage(error.to_string()))?;
    let run = &table.provenance.run;
    let day = run.date.split('T').next().unwrap_or_default();
    session.note(&format!(
        "these fees are what a call would pay by the shipped table, measured on {day} ({}), in the gas of {chain}: no chain charges them",
        run.cpu
    ));
    let (allowed, measured) = (table.provenance.chain.initial_pages_max, ParamTable::SHIPPED_PAGES);
    if allowed > measured {
        session.note(&format!("no memory of more than {measured} was measured: fees beyond that are extrapolated"));
    }
    Ok(Sourced { table, rejected: Vec::new() })
}

fn at(revision: &str, file: &Path) -> Result<Sourced, Error> {
    let name = PathBuf::from(format!("{revision}:{}", file.display()));
    let table = ParamTable::parse(&git::file_at(revision, file)?, &name)?;
    Ok(Sourced { table, rejected: Vec::new() })
}
