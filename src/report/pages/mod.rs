//! What documents say: for each kind of result a file with `page`, and where lines have 80 columns and no more, `brief`.

pub mod comparison;
pub mod history;
pub mod host;
pub mod noise;
pub mod pair;
pub mod params_diff;
pub mod price;
pub mod run;
pub mod strategies;
pub mod survey;
pub mod trend;
pub mod verify;
