//! Plan, rounds, call cycle, reference probe and worker processes: from artifacts to samples.

mod calibrate;
mod check;
mod company;
mod conditions;
mod conduct;
mod cycle;
mod error;
mod ladder;
mod machine;
mod merge;
mod plan;
mod plausible;
mod profile;
mod read_samples;
pub mod real;
mod run_file;
mod sample;
mod samples_csv;
mod setting;
#[cfg(test)]
mod simulated;
mod supervise;
mod verify;
mod worker;

pub use calibrate::thresholds;
pub use check::check;
pub use conditions::{Beside, Caches, Conditions, Previous, UnknownLevel, WriteWidth};
pub use conduct::{Conductor, Event, conduct};
pub use cycle::{Cycle, cycle};
pub use error::MeasureError;
pub use ladder::ladder;
pub use machine::{HostMachine, Image, Machine, PROBE, evicting, now};
pub use merge::merge;
pub use plan::{Experiment, Plan, PlannedPoint, grid};
pub use profile::Profile;
pub use read_samples::{ReadSamples, parse_samples, read_samples};
pub use run_file::{ArtifactHash, RUN_FORMAT, RunFile, RunFolder, Shard, Stop};
pub use sample::{DesignPoint, Sample, Samples};
pub use samples_csv::COLUMNS;
pub use setting::{Setting, Share};
pub use supervise::GO;
pub use worker::{Bench, Measured, Message, RuntimeOf, rounds, settle, wasmtime_runtime, work};
