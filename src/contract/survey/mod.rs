//! What contracts declare and what that means, one row each, and the sum over a corpus.

mod row;
mod totals;

pub use row::{SurveyRow, Surveyed};
pub use totals::{CallCount, PageCount, SurveyTotals};

use crate::units::Bytes;

/// The stacks that contracts are asked about: one page and less, and two steps towards the linker's default.
pub const STACKS: [Bytes; 3] = [Bytes(16 << 10), Bytes(64 << 10), Bytes(256 << 10)];

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
