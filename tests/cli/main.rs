//! The commands as people call them, on real files.

mod bad_contracts;
mod compile;
mod corpus;
mod diff;
mod export;
mod folder;
mod hostile_contracts;
mod kills;
mod price;
mod report;
mod promote;
mod review;
mod run;
mod stored;
mod streams;
mod survey;
mod verify;
