use std::time::Instant;

use super::MeasureError;
use crate::runtime::recycle::Thresholds;

/// Measures where `recycle-adaptive` changes from one wipe to the other on this machine: once, when a run is planned, so that all
/// its processes do the same.
///
/// # Errors
/// The kernel refuses the memory in which the wipes are compared.
pub fn thresholds() -> Result<Thresholds, MeasureError> {
    let start = Instant::now();
    let now_ns = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    Thresholds::measure(&now_ns).map_err(MeasureError::Calibrate)
}
