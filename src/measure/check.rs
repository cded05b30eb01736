use super::MeasureError;
use super::faults::SIXTEENTHS;
use crate::experiment::{Point, WriteWidth};
use crate::runtime::{LoadedContract, RuntimeError, Tenant};
use crate::units::{Bytes, HOST_PAGE, HOST_PAGE_SIZE};

/// Runs a point once, unmeasured, and makes sure that its touch changes a byte in every host page it should reach.
///
/// # Errors
/// The contract traps, its memory is not as large as it declares, or a host page stays clean.
pub fn check(contract: &dyn LoadedContract, point: &Point) -> Result<(), MeasureError> {
    let mut tenant = contract.instantiate()?;
    let declared = point.initial_pages().bytes();
    let actual = tenant.memory().len() as u64;
    if actual != declared.0 {
        return Err(MeasureError::MemorySize { point: point.label(), declared, actual: Bytes(actual) });
    }
    // Without data segments a memory begins as zeros, and reading 64 MiB of them takes a while.
    let before = if point.data_bytes().0 > 0 { tenant.memory().to_vec() } else { Vec::new() };
    let touched = point.touched_pages().bytes();
    write(tenant.as_mut(), touched, point.write_width())?;
    let mut pages = tenant.memory().chunks(HOST_PAGE_SIZE);
    let mut before = before.chunks(HOST_PAGE_SIZE);
    let expected = point.touched_pages().host_pages();
    let step = if point.write_width() == WriteWidth::Scattered { expected / SIXTEENTHS as u64 } else { 1 };
    for index in 0..expected {
        let was = before.next().unwrap_or(&[0; HOST_PAGE_SIZE]);
        if pages.next().is_none_or(|page| page == was) && index.is_multiple_of(step) {
            return Err(MeasureError::PageUntouched { point: point.label(), address: index * HOST_PAGE });
        }
    }
    Ok(())
}

/// Writes to the range from address 0 of this length, as the width has it.
pub(super) fn write(tenant: &mut dyn Tenant, length: Bytes, width: WriteWidth) -> Result<(), RuntimeError> {
    match width {
        WriteWidth::HostPage => tenant.touch(length),
        WriteWidth::EveryByte => tenant.write(length, |data| data.fill(1)),
        // Every other one first, so that what opens ahead of a run gains nothing.
        WriteWidth::Scattered => tenant.write(length, |data| {
            let part = (data.len() / SIXTEENTHS).max(1);
            for first in [0, part] {
                data.iter_mut().skip(first).step_by(2 * part).for_each(|byte| *byte = 1);
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::conditions::WRITE_WIDTH;
    use crate::experiment::memory::DATA_BYTES;
    use crate::runtime::{ContractCode, MemoryLimit, NodeSettings, Runtime, WasmtimeRuntime, find};
    use crate::units::Pages;

    /// Checks a page full of data whose entry is this, under a strategy whose faults tell nothing.
    fn checked(entry: &str) -> Result<(), MeasureError> {
        let data = "\\a5".repeat(65_536);
        let wasm = wat::parse_str(format!(
            r#"(module (memory (export "memory") 1) (data (i32.const 0) "{data}")
                 (func (export "touch") (param $at i32) (param $length i32) {entry}))"#
        ))
        .unwrap();
        let strategy = find("recycle-adaptive").unwrap();
        let runtime = WasmtimeRuntime::new(strategy, NodeSettings::new(MemoryLimit(Pages(16))));
        let contract =
            runtime.load(ContractCode { label: "data", wasm: &wasm, entry: "touch", is_brought: false }).unwrap();
        let point = Point::of_memory("data", "", strategy.name(), Pages(1)).with(&DATA_BYTES, 65_536);
        check(contract.as_ref(), &point)
    }

    /// As many as a tracked memory has spans.
    #[test]
    fn scattered_writes_are_one_in_each_sixteenth() {
        let wasm = wat::parse_str(r#"(module (memory (export "memory") 17) (func (export "touch") (param i32 i32)))"#)
            .unwrap();
        let strategy = find("fresh-map").unwrap();
        let runtime = WasmtimeRuntime::new(strategy, NodeSettings::new(MemoryLimit(Pages(17))));
        let contract =
            runtime.load(ContractCode { label: "a", wasm: &wasm, entry: "touch", is_brought: false }).unwrap();
        let written = |length: Bytes| {
            let mut tenant = contract.instantiate().unwrap();
            write(tenant.as_mut(), length, WriteWidth::Scattered).unwrap();
            let written = tenant.memory().iter().enumerate().filter(|(_, byte)| **byte != 0);
            written.map(|(address, _)| address).collect::<Vec<_>>()
        };
        assert_eq!(written(Pages(17).bytes()), (0..16).map(|part| part * 69_632).collect::<Vec<_>>());
        assert!(written(Bytes(0)).is_empty());
        let point = Point::of_memory("a", "", strategy.name(), Pages(17));
        let scattered = point.with(&WRITE_WIDTH, WriteWidth::Scattered as u64);
        check(contract.as_ref(), &scattered).unwrap();
        let missed = check(contract.as_ref(), &scattered.with(&WRITE_WIDTH, 0)).unwrap_err();
        assert!(matches!(missed, MeasureError::PageUntouched { address: 0, .. }), "{missed}");
    }

    #[test]
    fn data_is_not_taken_for_a_touch() {
        let result = checked("(i32.store8 (local.get $at) (i32.const 1))");
        assert!(matches!(result, Err(MeasureError::PageUntouched { address: 4096, .. })), "{result:?}");
        checked("(memory.fill (local.get $at) (i32.const 1) (local.get $length))").unwrap();
    }
}
