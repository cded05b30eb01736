use super::error::Error;
use super::in_force::THRESHOLD;
use super::session::Session;
use super::tables::TableSource;
use crate::params::{self, ParamDiff, ParamTable};

/// To hold a table against another for a reviewer.
///
/// ```
/// use estimator::app::{DiffRequest, Session, diff};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// let tables = diff(&DiffRequest::new("tests/data/current.toml", "tests/data/table.toml"), &Session::new())?;
/// let found = tables.diff()?;
/// assert!(!found.rows.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DiffRequest {
    /// The table in force.
    pub old: TableSource,
    /// The proposed one.
    pub new: TableSource,
    /// Smallest change of practical interest, in percent.
    pub threshold: f64,
}

impl DiffRequest {
    /// With a threshold of 2 %.
    pub fn new(old: impl Into<TableSource>, new: impl Into<TableSource>) -> Self {
        Self { old: old.into(), new: new.into(), threshold: THRESHOLD }
    }
}

/// The two tables, read.
#[derive(Debug, Clone)]
pub struct TablePair {
    old: ParamTable,
    new: ParamTable,
    threshold: f64,
}

/// Reads the tables that are to be compared.
///
/// # Errors
/// A table is not there, cannot be read, or is of a run whose fit was rejected.
pub fn diff(request: &DiffRequest, session: &Session<'_>) -> Result<TablePair, Error> {
    let (old, new) = rayon::join(|| request.old.usable(session), || request.new.usable(session));
    Ok(TablePair { old: old?, new: new?, threshold: request.threshold })
}

impl TablePair {
    /// What changed.
    ///
    /// # Errors
    /// The threshold is no share.
    pub fn diff(&self) -> Result<ParamDiff<'_>, Error> {
        Ok(params::diff(&self.old, &self.new, self.threshold / 100.0)?)
    }
}
