//! How documents look: the one place where text for people, and files of results, are written.

mod csv;
mod html;
mod markdown;
mod plots;
mod rows;
mod terminal;
mod wrap;

pub use csv::csv;
pub use html::html;
pub use markdown::{markdown, markdown_heading, markdown_row};
pub use plots::plots;
pub use rows::{heading, row};
pub use terminal::{sentence, terminal};
