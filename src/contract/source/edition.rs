//! Which Rust a source is written in.

use serde::Deserialize;
use strum::Display;

/// An edition of Rust, the oldest first
/// ([the Rust Edition Guide](https://doc.rust-lang.org/edition-guide/editions/)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Display, Deserialize)]
pub enum Edition {
    /// 2018.
    #[serde(rename = "2018")]
    #[strum(serialize = "2018")]
    Of2018,
    /// 2021.
    #[serde(rename = "2021")]
    #[strum(serialize = "2021")]
    Of2021,
    /// 2024.
    #[default]
    #[serde(rename = "2024")]
    #[strum(serialize = "2024")]
    Of2024,
}
