//! Text that others wrote: read from any editor and system, and shown so that it commands no terminal. A floor beside `files`.

mod read;
mod shown;
mod words;

pub use read::{decoded, read_found, read_text, refuse_pipe};
pub use shown::{escaped_string, is_unsafe, name_of, shown, shown_lines, shown_styled};
pub use words::{counted, listed, quoted, with_causes};
