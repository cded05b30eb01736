//! The page faults that a touch cannot do without.

use crate::experiment::{Check, Experiment, Point, WriteWidth};
use crate::runtime::Known;
use crate::units::WASM_PAGE;

/// Where scattered writes go: to so many places at equal distances. A Wasm page is as many host pages.
pub(super) const SIXTEENTHS: usize = 16;

/// What a counter of this point must reach at least.
pub(super) fn least_of(check: &Check, point: &Point, host_page: u64) -> u64 {
    if !Known::named(&point.strategy).is_some_and(|known| known.every_page_faults) {
        return 0;
    }
    let reached = (point.level(check.host_pages_of) * WASM_PAGE).div_ceil(host_page);
    if point.write_width() == WriteWidth::Scattered { reached.min(SIXTEENTHS as u64) } else { reached }
}

/// The page faults that a first touch of this point must take.
pub(super) fn least_faults(experiment: &Experiment, point: &Point, host_page: u64) -> u64 {
    experiment.checks.iter().map(|check| least_of(check, point, host_page)).max().unwrap_or(0)
}
