//! What people look at: the terminal, `summary.md`, the page of a run and its pictures.

mod charts;
mod comparison;
mod error;
mod export;
mod grid;
mod history;
mod host;
mod html;
mod ladder;
mod markdown;
mod notes;
mod page;
mod params_diff;
pub mod plot;
mod spark;
mod story;
mod terminal;
mod timeline;
mod trend;

pub use charts::plots;
pub use comparison::{comparison_markdown, comparison_terminal, noise_terminal};
pub use error::ReportError;
pub use export::{POINT_COLUMNS, points_csv, report_json};
pub use history::{history_csv, history_terminal, record_terminal};
pub use host::host_terminal;
pub use html::{Pair, pair_html, pair_json, pair_markdown, report_html};
pub use ladder::ladder;
pub use markdown::summary_markdown;
pub use notes::notes;
pub use params_diff::{diff_json, diff_markdown, diff_terminal};
pub use story::{InForce, Story};
pub use terminal::terminal;
pub use timeline::{Step, Timeline};
pub use trend::{Slope, TrendLevel, TrendLine, TrendRun, trend_csv, trend_html, trend_terminal};
