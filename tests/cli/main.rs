//! The commands as people call them, on real files.

mod bad_contracts;
mod compile;
mod corpus;
mod diff;
mod export;
mod folder;
mod hostile_contracts;
mod kills;
mod lists;
mod nightly;
mod paths;
mod price;
mod promote;
mod report;
mod review;
mod run;
mod silence;
mod stored;
mod streams;
mod survey;
mod toolchain;
mod verify;
