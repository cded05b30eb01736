//! The page faults that a touch cannot do without.

use super::check::SIXTEENTHS;
use crate::experiment::{Check, Experiment, Point, WriteWidth};
use crate::runtime;
use crate::units::WASM_PAGE;

/// What a counter of this point must reach at least.
pub(super) fn least_of(check: &Check, point: &Point, host_page: u64) -> u64 {
    if !runtime::find(&point.strategy).is_some_and(runtime::Strategy::every_page_faults) {
        return 0;
    }
    let reached = (point.level(check.host_pages_of) * WASM_PAGE).div_ceil(host_page);
    if point.write_width() == WriteWidth::Scattered { reached.min(SIXTEENTHS as u64) } else { reached }
}

/// The page faults that a first touch of this point must take.
pub(super) fn least_faults(experiment: &Experiment, point: &Point, host_page: u64) -> u64 {
    experiment.checks.iter().map(|check| least_of(check, point, host_page)).max().unwrap_or(0)
}
