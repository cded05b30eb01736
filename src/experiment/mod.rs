//! What can be measured: each experiment is a value that names its factors, its phases and what is priced.
//!
//! This is the lowest floor that knows what is measured. Plans, samples, models, tables and reports read the value.

mod between_runs;
pub mod conditions;
mod counter;
pub mod declared;
mod factor;
mod named;
pub mod node;
mod point;
mod spec;
mod tier;

pub use between_runs::BetweenRuns;
pub use conditions::{Caches, Previous, WriteWidth};
pub use counter::{Count, Counter};
pub use factor::{Factor, ParseLevelError, Source, Unit};
pub use load::LOAD;
pub use memory::MEMORY;
pub use named::{find, find_factor, find_term, parameters, term_of_parameter};
pub use point::{Levels, Point};
pub use process::PROCESS;
pub use spec::{BASE, BySize, Check, Column, Experiment, Parameter, Phase, Price, Probe, Regressor, Term};
pub use strategies::STRATEGIES;
pub use tier::{TIERS, bend_of, page_beyond};

listed! {
    /// Every experiment, the one that is measured unless asked otherwise first.
    pub static EXPERIMENTS: &Experiment =
        pub memory::MEMORY,
        strategies::STRATEGIES,
        process::PROCESS,
        pub load::LOAD + LOAD_COLD + LOAD_MEMORY + LOAD_KEPT,
        pub deploy::VALIDATE + CRANELIFT + WINCH,
        pub source::SOURCE,
        pub cache::CACHE,
        pub payload::PAYLOAD,
        pub stack::STACK,
}
