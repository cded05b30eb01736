//! What people look at: [`pages`] make a [`Document`](document::Document) of a result, and [`render`] writes it.

pub mod document;
mod error;
mod marks;
mod names;
mod notes;
pub mod pages;
mod passage;
pub mod plot;
pub mod render;
pub mod script;
mod settings;
mod spark;
mod story;
mod trend;
mod verification;
mod words;

pub use error::ReportError;
pub use notes::notes;
pub use story::{InForce, Pair, Story, StrategiesStory};
pub use trend::{Slope, TrendLevel, TrendLine, TrendRun};
pub use verification::{Unmeasured, Verification};
