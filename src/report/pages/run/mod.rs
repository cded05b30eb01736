//! A run: its page, a summary, and a brief form for terminals.

mod alternatives;
mod brief;
mod checks;
mod cost;
mod costs;
mod data;
mod effects;
mod fee;
mod held_out;
mod machine;
mod over_run;
mod page;
mod part;
mod phases;
mod points;
mod residuals;
mod stack;
mod strategies;
mod summary;
mod verdict;

pub use brief::brief;
pub(in crate::report) use checks::{Check, checks};
pub use data::{json, rows};
pub use page::page;
pub use summary::summary;
