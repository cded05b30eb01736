//! What people look at: the terminal and `summary.md`.

mod comparison;
mod grid;
mod host;
mod ladder;
mod markdown;
mod notes;
mod params_diff;
mod ratios;
mod story;
mod strategies;
mod terminal;

pub use comparison::{comparison_markdown, comparison_terminal, noise_terminal};
pub use host::host_terminal;
pub use markdown::summary_markdown;
pub use notes::notes;
pub use params_diff::{diff_json, diff_markdown, diff_terminal};
pub use story::Story;
pub use strategies::{StrategiesStory, strategies_markdown, strategies_terminal};
pub use terminal::terminal;
