//! What is said of each kind of result, a file each: `page` makes its document, and where lines of 80 columns need another one,
//! `brief`; `json` and `rows` are for machines, with keys and columns that are documented and stay.

pub mod comparison;
pub mod effects;
pub mod history;
pub mod host;
pub mod noise;
pub mod pair;
pub mod params_diff;
pub mod price;
pub mod reference;
pub mod run;
pub mod service;
mod stack_advice;
pub mod strategies;
pub mod survey;
pub mod trend;
pub mod verify;
mod verify_factors;
mod ways;
