//! Real contracts: tried once, each in the reach of a supervisor that outlives it, then measured like synthetic ones.

mod job;
mod measure;
mod trial;
mod worker;

pub use job::{Job, JobContract};
pub use measure::{RealConductor, RealEvent, measure_real};
pub use trial::{Refusal, TrialEvent, try_contracts};
pub use worker::{try_in_worker, work_real};
