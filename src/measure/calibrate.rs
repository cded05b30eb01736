use std::sync::OnceLock;
use std::time::Instant;

use super::MeasureError;
use crate::runtime::recycle::Thresholds;
use crate::runtime::{MemoryLimit, NodeSettings};
use crate::units::Pages;

/// A node whose contracts may hold at most so many pages, on this machine.
///
/// # Errors
/// The kernel refuses the memory in which the wipes of `recycle-adaptive` are compared.
pub fn node_settings(pages_max: Pages) -> Result<NodeSettings, MeasureError> {
    Ok(NodeSettings { thresholds: thresholds()?, ..NodeSettings::new(MemoryLimit(pages_max)) })
}

/// Where `recycle-adaptive` changes from one wipe to the other on this machine: measured once in a process.
fn thresholds() -> Result<Thresholds, MeasureError> {
    static MEASURED: OnceLock<Thresholds> = OnceLock::new();
    if let Some(&measured) = MEASURED.get() {
        return Ok(measured);
    }
    let start = Instant::now();
    let now_ns = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let measured = Thresholds::measure(&now_ns).map_err(MeasureError::Calibrate)?;
    Ok(*MEASURED.get_or_init(|| measured))
}
