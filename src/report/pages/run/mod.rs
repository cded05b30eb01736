//! A run: its page, a summary, and a brief form for terminals.

mod alternatives;
mod brief;
mod checks;
mod costs;
mod data;
mod deciding;
mod effects;
mod factors;
mod fee;
mod files;
mod machine;
mod page;
mod part;
mod points;
mod range;
mod summary;
mod verdict;

pub use brief::brief;
pub(in crate::report) use checks::{Check, checks};
pub use data::{json, rows};
pub use files::files;
pub use page::page;
pub use summary::summary;

use part::Part;

listed! {
    /// The pictures, in the order in which the page shows them.
    static PICTURES: &Part =
        cost::PART,
        phases::PART,
        strategies::PART,
        break_even::PART,
        residuals::PART,
        over_run::PART,
        stack::PART,
        held_out::PART,
}
