//! What is wrong, or could be, with samples and fit.

mod drift;

pub use drift::Drift;
