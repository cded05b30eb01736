//! Measures what initializing and resetting a Wasm contract's memory costs, and proposes the fee.
//!
//! The modules are a pipeline; each uses only those above it.

pub mod files;
pub mod text;
pub mod units;

pub mod experiment;

pub mod contract;
pub mod runtime;

pub mod history;
pub mod host;
pub mod measure;
pub mod model;
pub mod params;
pub mod report;

pub mod app;

pub mod cli;
