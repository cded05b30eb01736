//! Results for machines, as JSON values and as rows of CSV. Their keys and columns are documented and stay.

pub mod history;
pub mod params_diff;
pub mod points;
pub mod price;
pub mod run;
pub mod survey;
pub mod trend;
pub mod verify;
