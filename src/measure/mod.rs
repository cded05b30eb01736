//! Plan, rounds, call cycle, reference probe and worker processes: from artifacts to samples.

mod sample;

pub use sample::{DesignPoint, Sample, Samples};
