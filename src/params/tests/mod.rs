mod accepted;
mod chain;
mod charges;
mod compare;
mod consumers;
mod export;
mod export_parts;
mod proposal;
mod rules;
mod table;

use std::path::Path;

use super::*;
use crate::experiment::memory::{PER_DATA_PAGE, PER_GROWN_PAGE, PER_PAGE};
use crate::experiment::{MEMORY, Parameter};
use crate::model::{Estimate, ProbeTime, Reference, Statistic};
use crate::units::{Bytes, Gas, GasUnit, Pages};
use crate::versioned::VersionedError;

/// The place of the first fault: line, column and key.
fn fault<T: std::fmt::Debug>(result: Result<T, ParamsError>) -> (usize, usize, Option<String>) {
    match result {
        Err(ParamsError::Format(VersionedError::Several(mut all))) => fault::<T>(Err(all.swap_remove(0).into())),
        Err(ParamsError::Format(VersionedError::Fault { line, column, key, .. })) => (line, column, key),
        other => panic!("expected a fault in the format, found {other:?}"),
    }
}

fn file() -> &'static Path {
    Path::new("some.toml")
}

fn evidence(value: f64, low: f64, high: f64) -> Estimate {
    Estimate { value, low, high }
}

fn input(parameter: &'static Parameter, value: f64) -> ParamInput {
    let nanos = evidence(value, value * 0.99, value * 1.01);
    let measured = Some(evidence(value * 1.05, value, value * 1.1));
    ParamInput { parameter, nanos, measured, model: "covering charge".into() }
}

fn base(value: f64) -> ParamInput {
    input(&MEMORY.base, value)
}

fn page(value: f64) -> ParamInput {
    input(&PER_PAGE.parameter, value)
}

fn grow(value: f64) -> ParamInput {
    input(&PER_GROWN_PAGE.parameter, value)
}

fn proposal() -> ProposalInput {
    let run = RunFacts {
        run: "2026-01-02T03-04-05Z".into(),
        date: "2026-01-02T03:04:05Z".into(),
        machine: "0123456789ab".into(),
        contract_set: "cafe".into(),
        wasmtime: "48.0.8".into(),
        notes: vec!["Rust contracts skipped: no target".into()],
        ..RunFacts::default()
    };
    let params = vec![base(30_512.0), page(27_123.4), grow(29e3)];
    ProposalInput { params, run, reference: Some(reference("some-machine")) }
}

fn reference(name: &str) -> ReferenceFacts {
    let time = |pages, data, nanos| ProbeTime {
        touched_pages: Pages(pages),
        data_bytes: Bytes(data),
        nanos: evidence(nanos, nanos, nanos),
    };
    let probes = vec![time(1, 0, 55_000.0), time(17, 0, 462_000.0), time(17, 65_536, 470_000.0)];
    let reference = Reference { name: name.into(), probes, surcharges: Vec::new() };
    ReferenceFacts::new(&reference, "0123456789ab", 2, Bytes(4 << 20))
}

/// The same with another estimate for one parameter.
fn with(other: ParamInput) -> ProposalInput {
    let mut proposal = proposal();
    proposal.params.retain(|input| input.parameter != other.parameter);
    proposal.params.push(other);
    proposal
}

pub(super) fn proposed() -> ParamTable {
    propose(&proposal(), &ChainSettings::default()).unwrap()
}

fn gas(table: &ParamTable, name: &str) -> Gas {
    table.params[name].gas
}
