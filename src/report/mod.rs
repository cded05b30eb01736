//! What people look at: the terminal and `summary.md`.

mod comparison;
mod grid;
mod host;
mod ladder;
mod markdown;
mod notes;
mod params_diff;
mod price;
mod story;
mod survey;
mod terminal;
mod verify;

pub use comparison::{comparison_markdown, comparison_terminal, noise_terminal};
pub use host::host_terminal;
pub use ladder::ladder;
pub use markdown::summary_markdown;
pub use notes::notes;
pub use params_diff::{diff_json, diff_markdown, diff_terminal};
pub use price::{STACK_FLAGS, price_headings, price_json, price_line, price_terminal};
pub use story::Story;
pub use survey::{survey_headings, survey_json, survey_line, survey_terminal};
pub use terminal::terminal;
pub use verify::{Unmeasured, Verification, verify_csv, verify_json, verify_terminal};
