//! Plan, rounds, call cycle, reference probe and worker processes: from artifacts to samples.

mod bench;
mod calibrate;
mod check;
mod conduct;
mod cycles;
mod error;
mod ladder;
mod machine;
mod merge;
mod neighbours;
mod plan;
mod plausible;
mod points_csv;
mod prepare;
mod process;
mod profile;
mod read_samples;
pub mod real;
mod run_file;
mod samples;
mod samples_csv;
mod setting;
#[cfg(test)]
mod simulated;
mod supervise;
mod verify;
mod watch;
mod worker;

pub use bench::{Bench, Emit, LoadOf, RuntimeOf, loading, wasmtime_runtime};
pub use calibrate::thresholds;
pub use check::check;
pub use conduct::{Conductor, Event, conduct};
pub use cycles::cycle;
pub use error::MeasureError;
pub use ladder::ladder;
pub use machine::{HostMachine, Image, Machine, PROBE, evicting, now};
pub use merge::merge;
pub use plan::{Plan, PlannedPoint, grid, point_of};
pub use profile::Profile;
pub use read_samples::{ReadSamples, parse_samples, read_samples};
pub use run_file::{ArtifactHash, RUN_FORMAT, RunFile, RunFolder, Shard, Stop};
pub use samples::{Place, Sample, Samples};
pub use setting::{Setting, Share};
pub use supervise::{GO, Stage};
pub use watch::Marks;
pub use worker::{Measured, Message, prepare, rounds, settle, work};
