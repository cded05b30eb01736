use std::time::Instant;

use super::MeasureError;
use crate::runtime::Strategy;
use crate::runtime::recycle::Thresholds;

/// Measures where a strategy such as `recycle-adaptive` changes from one wipe to the other on this machine: once, when a run is
/// planned, so that all its processes do the same. For one that uses no thresholds they are those that were not measured.
///
/// # Errors
/// The kernel refuses the memory in which the wipes are compared.
pub fn thresholds(strategy: &dyn Strategy) -> Result<Thresholds, MeasureError> {
    if !strategy.uses_thresholds() {
        return Ok(Thresholds::from_sizes(None, None));
    }
    let start = Instant::now();
    let now_ns = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    Thresholds::measure(&now_ns).map_err(MeasureError::Calibrate)
}
