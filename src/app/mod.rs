//! The application without a terminal: typed requests, carried out in a [`Session`], to typed results.
//!
//! | request | does | result |
//! |---|---|---|
//! | [`InitRequest`] | [`init()`]: settings and contracts to begin with | |
//! | [`RunRequest`] | [`run()`]: compile, measure, fit, propose | [`RunOutcome`] |
//! | [`ResumeRequest`] | [`resume()`]: go on with a run | [`RunOutcome`] |
//! | [`FitRequest`] | [`fit()`]: model and table again from stored samples | [`Fitted`] |
//! | [`CompareRequest`] | [`compare()`]: two runs or strategies, with a verdict | [`Comparison`](crate::model::Comparison) |
//! | | [`save_baseline`], [`baseline()`], [`baselines`]: a run by a name, to compare with | |
//! | [`ReportRequest`] | [`report()`]: one stored run or two, for a report | [`Reported`] |
//! | [`NoiseRequest`] | [`noise()`]: the smallest change that could be detected | [`NoiseOutcome`] |
//! | [`VerifyRequest`] | [`verify()`]: real contracts against their charges | [`VerifyOutcome`] |
//! | [`Survey`] | what real contracts declare | a row for each |
//! | [`PriceRequest`] | [`PriceList`]: what real contracts pay | a row for each |
//! | [`Quote`] | [`Quote::of`]: what one contract pays whose bytes somebody sent | |
//! | [`DiffRequest`] | [`diff()`]: a table held against another | [`TablePair`] |
//! | [`PromoteRequest`] | [`promote()`]: a proposal into the table in force | [`Promotion`] |
//! | [`Ledger`] | the table in force against its accepted changes | [`Check`] |
//! | [`ExportRequest`] | [`export()`]: a table in a chain's own format | [`Export`](crate::params::Export) |
//! | [`nightly::NightRequest`] | [`nightly::nightly`]: a run of every night, judged and told | [`nightly::NightOutcome`] |
//! | [`history`] | recorded runs | |
//! | [`receive`] | a run that another machine sends | |
//! | [`PushRequest`] | [`push()`]: a run to a service | [`Pushed`] |
//! | [`PinRequest`] | [`pin()`]: the reference machine, from runs | [`ReferenceMachine`](crate::params::ReferenceMachine) |
//! | [`CheckRequest`] | [`check_reference()`]: this machine against the reference | [`CheckedReference`] |
//! | [`CompileRequest`] | [`compile()`]: contracts into a folder of modules | [`Compilation`](crate::contract::Compilation) |
//!
//! Nothing here prints: what people should hear of comes as [`Event`]s, and what a run leaves is in its folder. Measurements are
//! made in worker processes, so a program that asks for one calls [`serve_if_worker`] first of all.

mod analysis;
mod baseline;
mod chain;
mod compare;
mod compile;
mod contracts;
mod corpus;
mod diff;
mod error;
mod event;
mod export;
mod filter;
mod fit;
mod git;
pub mod history;
mod host;
mod in_force;
mod init;
mod ledger;
mod merged;
mod mixing;
mod overrides;
mod pin;
mod price;
mod price_part;
mod probes;
mod promote;
mod proposal;
mod quote;
pub mod receive;
mod reference;
mod report;
mod session;
mod stored;
mod strategies;
mod survey;
mod tables;
mod workload;

pub use analysis::Analysis;
pub use baseline::{baseline, baselines, can_save_baseline, save_baseline};
pub(crate) use chain::load_chain;
pub use chain::{chain_of_run, gas_unit};
pub use compare::{CompareRequest, Side, compare};
pub use compile::{CompileRequest, compile};
pub use diff::{DiffRequest, TablePair, diff};
pub(crate) use error::system;
pub use error::{Error, ErrorKind};
pub use event::{Event, Stage};
pub use export::{ExportRequest, export};
pub use filter::Filter;
pub use fit::{FitRequest, Fitted, fit};
pub use host::host;
pub use in_force::{TableInForce, percentage};
pub use init::{Begun, InitRequest, init};
pub use ledger::{Check, Ledger};
pub use mixing::Mixing;
pub use overrides::Overrides;
pub use pin::{PinRequest, pin};
pub use price::{PriceList, PriceRequest};
pub use probes::Probes;
pub use promote::{PromoteRequest, Promotion, promote};
pub use quote::{Quote, QuoteError};
pub use reference::named_reference;
pub use report::{ReportRequest, Reported, ReportedPair, report};
pub use session::{Observer, Session};
pub use stored::{experiment_of, run_folder};
pub use survey::Survey;
pub use tables::TableSource;
pub use workload::NamedWorkload;

with_measure! {
    mod check_reference;
    mod choose;
    mod gathered;
    mod measure_real;
    mod measure_run;
    pub mod nightly;
    mod noise;
    mod plan_request;
    mod plan_run;
    mod planned;
    mod push;
    mod resume;
    mod run;
    mod serve;
    mod trust;
    mod verify;
    mod workers;

    pub use check_reference::{CheckRequest, CheckedReference, check_reference};
    pub use choose::strategy_named;
    pub use measure_run::measure_run;
    pub use noise::{NoiseOutcome, NoiseRequest, NoiseSource, noise};
    pub use plan_request::PlanRequest;
    pub use plan_run::plan_run;
    pub use planned::PlannedRun;
    pub use push::{PushRequest, PushSettings, Pushed, push};
    pub use resume::resume_run;
    pub use run::{ResumeRequest, RunOutcome, RunRequest, resume, run};
    pub use serve::serve_if_worker;
    pub use verify::{Verified, VerifyOutcome, VerifyRequest, verify};
    pub use workers::Workers;
}
