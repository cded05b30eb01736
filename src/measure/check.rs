use super::{DesignPoint, MeasureError, WriteWidth};
use crate::runtime::LoadedContract;
use crate::units::HOST_PAGE;

/// Runs a point once, unmeasured, and makes sure that its touch leaves a byte in every host page it should reach.
///
/// # Errors
/// The contract traps, its memory is not as large as it declares, or a host page stays clean.
pub fn check(contract: &dyn LoadedContract, point: &DesignPoint) -> Result<(), MeasureError> {
    let mut tenant = contract.instantiate()?;
    let declared = point.initial_pages.bytes();
    let actual = tenant.memory().len() as u64;
    if actual != declared.0 {
        return Err(MeasureError::MemorySize { point: point.label(), declared, actual: crate::units::Bytes(actual) });
    }
    let touched = point.touched_pages.bytes();
    match point.conditions.write_width {
        WriteWidth::HostPage => tenant.touch(touched)?,
        WriteWidth::EveryByte => tenant.fill(touched)?,
    }
    let mut pages = tenant.memory().chunks(usize::try_from(HOST_PAGE).unwrap_or(4096)).enumerate();
    let expected = point.touched_pages.host_pages();
    for index in 0..expected {
        let written = pages.next().is_some_and(|(_, page)| page.iter().any(|&byte| byte != 0));
        if !written {
            return Err(MeasureError::PageUntouched { point: point.label(), address: index * HOST_PAGE });
        }
    }
    Ok(())
}
