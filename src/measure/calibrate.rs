use std::time::Instant;

use super::MeasureError;
use crate::runtime::Strategy;
use crate::runtime::recycle::Thresholds;

/// Measures where strategies such as `recycle-adaptive` and `recycle-tracked` change from one wipe to the other on this machine, and to
/// tracking: once, when a run is planned, so that all its processes do the same. For one that uses no thresholds they are those that were not measured.
///
/// # Errors
/// The kernel refuses the memory in which the wipes are compared.
pub fn thresholds(strategy: &dyn Strategy) -> Result<Thresholds, MeasureError> {
    if !strategy.uses_thresholds() {
        return Ok(Thresholds::NEVER);
    }
    let start = Instant::now();
    let now_ns = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    Thresholds::measure_tracking(&now_ns).map_err(MeasureError::Calibrate)
}
