use crate::report::ReportError;
use crate::report::document::{Document, Figure};

/// The pictures of a document as files of their own: names without extension, and SVG.
///
/// # Errors
/// A picture cannot be drawn; no input is known with which that happens.
pub fn plots(document: &Document) -> Result<Vec<(String, String)>, ReportError> {
    let drawn = |figure: &Figure| {
        let svg =
            figure.chart.file().map_err(|source| ReportError::Plot { chart: figure.chart.name.clone(), source })?;
        Ok((figure.chart.name.clone(), svg))
    };
    document.figures().map(drawn).collect()
}
