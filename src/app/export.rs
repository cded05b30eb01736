use super::error::Error;
use super::session::Session;
use super::tables::TableSource;
use crate::params::{Export, Exporter};

/// To write a table in a chain's own format, rounded so that no charge is below the table's.
///
/// ```
/// use estimator::app::{ExportRequest, Session, export};
/// use estimator::params::EXPORTERS;
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// let exported = export(&ExportRequest::new("tests/data/table.toml", EXPORTERS[0]), &Session::new())?;
/// assert!(exported.text.contains("memory_init_per_page"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ExportRequest {
    /// The table.
    pub table: TableSource,
    /// Whose format.
    pub format: &'static Exporter,
    /// The table from which the change is written, which only NEAR's format has a form for.
    pub old: Option<TableSource>,
    /// What a second of execution is worth on that chain, in gas; `None` for what the table or the format says.
    pub gas_per_second: Option<u64>,
}

impl ExportRequest {
    /// The whole table, at the worth of a second that it or the format names.
    pub fn new(table: impl Into<TableSource>, format: &'static Exporter) -> Self {
        Self { table: table.into(), format, old: None, gas_per_second: None }
    }
}

/// Writes the table as text.
///
/// # Errors
/// A table is not there, cannot be read, is of a run whose fit was rejected, or does not fit into the format.
pub fn export(request: &ExportRequest, session: &Session<'_>) -> Result<Export, Error> {
    let table = request.table.told(session)?;
    Ok(match &request.old {
        Some(old) if request.format.has_changes() => request.format.change(&old.told(session)?, &table)?,
        Some(_) => {
            return Err(Error::Usage("only --format near has a form for changes: leave --old out".to_owned()));
        }
        None => request.format.export(&table, request.gas_per_second)?,
    })
}
