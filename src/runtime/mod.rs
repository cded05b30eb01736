//! What is measured: a runtime that gives a contract its memory and takes it back, under a reset strategy.

mod error;
mod known;
mod node;
mod thresholds;

pub use error::{RuntimeError, Unavailable};
pub use known::{KNOWN, Known};
pub use node::{MemoryLimit, NodeSettings};
pub use thresholds::Thresholds;

with_measure! {
    mod busy;
    mod deploy;
    mod engine;
    mod huge_pages;
    mod interpreted;
    pub mod isolation;
    mod old_wasmi;
    mod page_cache;
    pub mod recycle;
    mod stacks;
    mod stored;
    mod strategies;
    mod strategy;
    mod stubbed;
    mod wasmi;
    mod wasmtime;

    pub use deploy::{Deployment, artifact_bytes};
    pub use engine::{ContractCode, LoadedContract, PREDECESSOR, Runtime, Tenant};
    pub use huge_pages::only_where_advised;
    pub use interpreted::InterpretedRuntime;
    pub use old_wasmi::OldInterpreter;
    pub use stacks::{Fiber, Fibers, NESTED, Nesting};
    pub use stored::Stored;
    pub use strategies::{STRATEGIES, USUAL, find};
    pub use strategy::Strategy;
    pub use stubbed::{ForeignCode, START_FUEL, StubbedRuntime};
    pub use wasmi::{Interpreter, WASMI_VERSION};
    pub use wasmtime::{WASMTIME_VERSION, WasmtimeRuntime};
}
