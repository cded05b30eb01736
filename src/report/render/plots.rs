use crate::report::ReportError;
use crate::report::document::{Block, Document};

/// The pictures of a document as files of their own: names without extension, and SVG.
///
/// # Errors
/// A picture cannot be drawn; no input is known with which that happens.
pub fn plots(document: &Document) -> Result<Vec<(String, String)>, ReportError> {
    let mut plots = Vec::new();
    for block in document.sections.iter().flat_map(|section| &section.blocks) {
        if let Block::Figure(figure) = block {
            let chart = &figure.chart;
            let svg = chart.file().map_err(|source| ReportError::Plot { chart: chart.name.clone(), source })?;
            plots.push((chart.name.clone(), svg));
        }
    }
    Ok(plots)
}
