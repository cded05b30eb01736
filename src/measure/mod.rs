//! Plan, rounds, call cycle, reference probe and worker processes: from artifacts to samples.

mod clock;
mod error;
mod faults;
mod merge;
mod plan;
mod plausible;
mod points_csv;
mod profile;
mod read_samples;
mod run_file;
mod samples;
mod setting;
mod verify;

pub use clock::now;
pub use error::MeasureError;
pub use merge::merge;
pub use plan::{Plan, PlannedPoint, point_of};
pub use profile::Profile;
pub use read_samples::{ReadSamples, parse_samples, read_samples};
pub use run_file::{ArtifactHash, Length, RUN_FORMAT, RunFile, RunFolder, Shard, Stop, check_node};
pub use samples::{Place, Sample, Samples};
pub use setting::{Setting, Share};

with_measure! {
    mod allocations;
    mod bench;
    mod calibrate;
    mod check;
    mod conduct;
    mod conductor;
    mod cycles;
    mod grid;
    mod ladder;
    mod loaded;
    mod machine;
    mod mapping;
    mod message;
    mod prepare;
    mod probing;
    mod process;
    pub mod real;
    mod samples_csv;
    #[cfg(test)]
    mod simulated;
    mod supervise;
    mod surroundings;
    mod watch;
    mod work;
    mod worker;

    pub use allocations::{Allocations, Counting, CountingAllocator};
    pub use bench::{Bench, Emit, RuntimeOf, loading, wasmtime_runtime};
    pub use calibrate::thresholds;
    pub use check::check;
    pub use conduct::conduct;
    pub use conductor::{Conductor, Event};
    pub use cycles::{Choice, cycle, modules_of, points_of};
    pub use loaded::LoadOf;
    pub use machine::{HostMachine, Image, Machine, PROBE, evicting};
    pub use message::{Measured, Message, build};
    use plan::SMALL;
    pub use probing::{probe_for, probe_in_worker};
    pub use supervise::{GO, Stage};
    pub use watch::Marks;
    pub use worker::{prepare, prepare_process, rounds};
}
