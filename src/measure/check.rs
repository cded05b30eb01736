use super::MeasureError;
use crate::experiment::{Point, WriteWidth};
use crate::runtime::LoadedContract;
use crate::units::{HOST_PAGE, HOST_PAGE_SIZE};

/// Runs a point once, unmeasured, and makes sure that its touch changes a byte in every host page it should reach.
///
/// # Errors
/// The contract traps, its memory is not as large as it declares, or a host page stays clean.
pub fn check(contract: &dyn LoadedContract, point: &Point) -> Result<(), MeasureError> {
    let mut tenant = contract.instantiate()?;
    let declared = point.initial_pages().bytes();
    let actual = tenant.memory().len() as u64;
    if actual != declared.0 {
        return Err(MeasureError::MemorySize { point: point.label(), declared, actual: crate::units::Bytes(actual) });
    }
    // Without data segments a memory begins as zeros, and reading 64 MiB of them takes a while.
    let before = if point.data_bytes().0 > 0 { tenant.memory().to_vec() } else { Vec::new() };
    let touched = point.touched_pages().bytes();
    match point.write_width() {
        WriteWidth::HostPage => tenant.touch(touched)?,
        WriteWidth::EveryByte => tenant.fill(touched)?,
    }
    let mut pages = tenant.memory().chunks(HOST_PAGE_SIZE);
    let mut before = before.chunks(HOST_PAGE_SIZE);
    let expected = point.touched_pages().host_pages();
    for index in 0..expected {
        let was = before.next().unwrap_or(&[0; HOST_PAGE_SIZE]);
        if pages.next().is_none_or(|page| page == was) {
            return Err(MeasureError::PageUntouched { point: point.label(), address: index * HOST_PAGE });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let contract = runtime.load(ContractCode { label: "data", wasm: &wasm, entry: "touch" }).unwrap();
        let point = Point::of_memory("data", "", strategy.name(), Pages(1)).with(&DATA_BYTES, 65_536);
        check(contract.as_ref(), &point)
    }

    #[test]
    fn data_is_not_taken_for_a_touch() {
        let result = checked("(i32.store8 (local.get $at) (i32.const 1))");
        assert!(matches!(result, Err(MeasureError::PageUntouched { address: 4096, .. })), "{result:?}");
        checked("(memory.fill (local.get $at) (i32.const 1) (local.get $length))").unwrap();
    }
}
