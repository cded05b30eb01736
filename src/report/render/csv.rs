use serde::Serialize;

use crate::report::ReportError;

/// Rows as CSV, under the names of their fields if they have any.
///
/// # Errors
/// A row cannot be written, which no result causes.
pub fn csv<T: Serialize>(rows: impl IntoIterator<Item = T>) -> Result<String, ReportError> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
