use serde::{Deserialize, Serialize};

use super::{Machine, WriteWidth};
use crate::runtime::{LoadedContract, RuntimeError, Tenant};
use crate::units::Bytes;

/// The times of one call cycle, phase by phase, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// Store and instance made.
    pub instantiate_ns: u64,
    /// The touch, first time.
    pub first_touch_ns: u64,
    /// The touch again.
    pub warm_touch_ns: u64,
    /// Store and instance dropped.
    pub reset_ns: u64,
    /// Minor page faults during the first touch.
    pub minor_faults: u64,
}

/// Runs one call cycle: instantiate, write to the first `length` bytes twice, drop.
///
/// The fault counter is read between the phases, outside the timed spans.
///
/// # Errors
/// The contract cannot be instantiated or traps.
pub fn cycle(
    contract: &dyn LoadedContract,
    length: Bytes,
    width: WriteWidth,
    machine: &dyn Machine,
) -> Result<Cycle, RuntimeError> {
    let write = |tenant: &mut dyn Tenant| match width {
        WriteWidth::HostPage => tenant.touch(length),
        WriteWidth::EveryByte => tenant.fill(length),
    };
    let start = machine.now_ns();
    let mut tenant = contract.instantiate()?;
    let instantiated = machine.now_ns();

    let faults_before = machine.minor_faults();
    let touch = machine.now_ns();
    write(tenant.as_mut())?;
    let touched = machine.now_ns();
    let faults_after = machine.minor_faults();

    let warm = machine.now_ns();
    write(tenant.as_mut())?;
    let warmed = machine.now_ns();

    drop(tenant);
    let reset = machine.now_ns();

    Ok(Cycle {
        instantiate_ns: instantiated - start,
        first_touch_ns: touched - touch,
        warm_touch_ns: warmed - warm,
        reset_ns: reset - warmed,
        minor_faults: faults_after.saturating_sub(faults_before),
    })
}
