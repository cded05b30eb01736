use super::{Procedure, Subject};
use crate::experiment::{Caches, MEMORY, Previous, WriteWidth};
use crate::measure::check::write;
use crate::measure::grid::grid;
use crate::measure::{Image, Machine, MeasureError, check};
use crate::runtime::{LoadedContract, PREDECESSOR, RuntimeError};
use crate::units::Bytes;

pub(super) const PROCEDURE: Procedure =
    Procedure { of: &MEMORY, timed, points: grid, check, modules: None, brings: false };

/// A cycle in the conditions of its point.
pub(super) fn timed(subject: &Subject<'_>, machine: &mut dyn Machine) -> Result<Vec<u64>, MeasureError> {
    let (phases, counters) = in_conditions(subject, machine)?;
    Ok(phases.into_iter().chain(counters).collect())
}

fn in_conditions(subject: &Subject<'_>, machine: &mut dyn Machine) -> Result<Cycle, MeasureError> {
    let Subject { contract, point } = *subject;
    let (length, width) = (point.touched_pages().bytes(), point.write_width());
    match point.previous() {
        Previous::Same => {}
        Previous::Clean => contract.precede(false)?,
        Previous::Dirty => contract.precede(true)?,
        Previous::LongGone => machine.pass(LONG_AGO),
        Previous::Foreign => {
            let length = PREDECESSOR.bytes();
            machine.probe(length, &Image::default()).map_err(|source| MeasureError::Probe { length, source })?;
        }
    }
    match point.caches() {
        Caches::Cold => machine.chill(),
        Caches::Warm => drop(cycle(contract, length, width, machine)?),
    }
    Ok(cycle(contract, length, width, machine)?)
}

/// What a large tenant takes where every page of 64 MiB faults, in nanoseconds: 25 ms.
const LONG_AGO: u64 = 25_000_000;

/// The phases of one call cycle in nanoseconds, and its counters: the minor page faults of its first touch and its preemptions.
pub type Cycle = ([u64; 4], [u64; 2]);

/// Runs one call cycle: instantiate, write to the first `length` bytes twice, drop.
///
/// The counters are read outside the timed spans.
///
/// # Errors
/// The contract cannot be instantiated or traps.
pub fn cycle(
    contract: &dyn LoadedContract,
    length: Bytes,
    width: WriteWidth,
    machine: &dyn Machine,
) -> Result<Cycle, RuntimeError> {
    let switches_before = machine.involuntary_switches();
    let start = machine.now_ns();
    let mut tenant = contract.instantiate()?;
    let instantiated = machine.now_ns();

    let faults_before = machine.minor_faults();
    let touch = machine.now_ns();
    write(tenant.as_mut(), length, width)?;
    let touched = machine.now_ns();
    let faults_after = machine.minor_faults();

    let warm = machine.now_ns();
    write(tenant.as_mut(), length, width)?;
    let warmed = machine.now_ns();

    drop(tenant);
    let reset = machine.now_ns();
    let switches_after = machine.involuntary_switches();

    let phases = [instantiated - start, touched - touch, warmed - warm, reset - warmed];
    let counters = [faults_after.saturating_sub(faults_before), switches_after.saturating_sub(switches_before)];
    Ok((phases, counters))
}
