//! The page faults that a touch cannot do without.

use crate::experiment::{Check, Experiment, Point};
use crate::runtime;
use crate::units::WASM_PAGE;

/// What a counter of this point must reach at least.
pub(super) fn least_of(check: &Check, point: &Point, host_page: u64) -> u64 {
    let every_page = runtime::find(&point.strategy).is_some_and(runtime::Strategy::every_page_faults);
    if every_page { (point.level(check.host_pages_of) * WASM_PAGE).div_ceil(host_page) } else { 0 }
}

/// The page faults that a first touch of this point must take.
pub(super) fn least_faults(experiment: &Experiment, point: &Point, host_page: u64) -> u64 {
    experiment.checks.iter().map(|check| least_of(check, point, host_page)).max().unwrap_or(0)
}
