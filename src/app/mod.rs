//! The application without a terminal: typed requests, carried out in a [`Session`], to typed results.
//!
//! | request | does | result |
//! |---|---|---|
//! | [`RunRequest`] | [`run()`]: compile, measure, fit, propose | [`RunOutcome`] |
//! | [`ResumeRequest`] | [`resume()`]: go on with a run | [`RunOutcome`] |
//! | [`FitRequest`] | [`fit()`]: model and table again from stored samples | [`Fitted`] |
//! | [`CompareRequest`] | [`compare()`]: two runs or strategies, with a verdict | [`Comparison`](crate::model::Comparison) |
//! | [`ReportRequest`] | [`report()`]: one stored run or two, for a report | [`Reported`] |
//! | [`NoiseRequest`] | [`noise()`]: the smallest change that could be detected | [`NoiseOutcome`] |
//! | [`VerifyRequest`] | [`verify()`]: real contracts against their charges | [`VerifyOutcome`] |
//! | [`CompileRequest`] | [`compile()`]: contracts into a folder of modules | [`Compilation`](crate::contract::Compilation) |
//!
//! Nothing here prints: what people should hear of comes as [`Event`]s, and what a run leaves is in its folder. Measurements are
//! made in worker processes, so a program that asks for one calls [`serve_if_worker`] first of all.

mod analysis;
mod chain;
mod choose;
mod compare;
mod compile;
mod contracts;
mod error;
mod event;
mod fit;
mod gathered;
mod host;
mod in_force;
mod measure_real;
mod measure_run;
mod merged;
mod mixing;
mod noise;
mod plan_request;
mod plan_run;
mod planned;
mod proposal;
mod report;
mod resume;
mod run;
mod serve;
mod session;
mod stored;
mod strategies;
mod verify;
mod workers;

pub use analysis::Analysis;
pub use chain::chain_of_run;
pub use choose::strategy_named;
pub use compare::{CompareRequest, Side, compare};
pub use compile::{CompileRequest, compile};
pub use error::{Error, ErrorKind};
pub use event::{Event, Stage};
pub use fit::{FitRequest, Fitted, fit};
pub use host::host;
pub use in_force::TableInForce;
pub use measure_run::measure_run;
pub use mixing::Mixing;
pub use noise::{NoiseOutcome, NoiseRequest, NoiseSource, noise};
pub use plan_request::PlanRequest;
pub use plan_run::plan_run;
pub use planned::PlannedRun;
pub use report::{ReportRequest, Reported, ReportedPair, report};
pub use resume::resume_run;
pub use run::{ResumeRequest, RunOutcome, RunRequest, resume, run};
pub use serve::serve_if_worker;
pub use session::{Observer, Session};
pub use stored::run_folder;
pub use verify::{Verified, VerifyOutcome, VerifyRequest, verify};
pub use workers::Workers;
