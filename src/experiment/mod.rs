//! What can be measured: each experiment is a value that names its factors, its phases and what is priced.
//!
//! This is the lowest floor that knows what is measured. Plans, samples, models, tables and reports read the value.

mod factor;
mod named;
mod point;
mod spec;

pub use factor::{Factor, ParseLevelError, Source, Unit};
pub use memory::MEMORY;
pub use named::{find, parameters};
pub use point::{Levels, Point};
pub use spec::{BASE, Check, Column, Counter, Experiment, Parameter, Phase, Price, Reference, Regressor, Term};
pub use strategies::{Caches, Neighbour, Previous, STRATEGIES, WriteWidth};

listed! {
    /// Every experiment, the one that is measured unless asked otherwise first.
    pub static EXPERIMENTS: &Experiment =
        pub memory::MEMORY,
        pub strategies::STRATEGIES,
}
