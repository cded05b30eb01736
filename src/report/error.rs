use plotters::drawing::DrawingAreaErrorKind;

/// Why a report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A chart cannot be drawn.
    #[error("cannot draw the chart `{chart}`")]
    Plot {
        /// Its name.
        chart: String,
        /// Why.
        source: DrawingAreaErrorKind<std::io::Error>,
    },
    /// A page cannot be filled in.
    #[error("cannot make the page `{title}`")]
    Page {
        /// Its title.
        title: String,
        /// Why.
        source: askama::Error,
    },
    /// Rows cannot be written as CSV.
    #[error("cannot write rows as CSV")]
    Csv(#[from] csv::Error),
}
