//! The commands as people call them, on real files.

mod bad_contracts;
mod compile;
mod diff;
mod folder;
mod hostile_contracts;
mod kills;
mod nightly;
mod report;
mod run;
mod stored;
mod streams;
