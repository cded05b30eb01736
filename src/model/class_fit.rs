use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::Estimate;
use crate::experiment::{Levels, Point, Source};
use crate::units::{Bytes, Pages};

/// Points that do the same work, pooled. Times are in nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassFit {
    /// One of the points.
    pub point: Point,
    /// How many they are.
    pub points: usize,
    /// Their cost over that of the probe beside them; `None` without probes.
    pub ratio: Option<Estimate>,
    /// Their cost on the reference machine, which the charge covers; as measured without probes.
    pub cost: Estimate,
    /// As measured.
    pub measured: Estimate,
}

impl ClassFit {
    /// The name by which messages speak of it: `touch-memory of 17 pages`.
    #[must_use]
    pub fn label(&self) -> String {
        Self::label_of(&self.point)
    }

    pub(crate) fn label_of(point: &Point) -> String {
        // Where pages are no factor the variant says what it is.
        if point.initial_pages() == Pages(0) {
            return format!("{}/{}", point.contract, point.variant);
        }
        // Writing to a `String` cannot fail.
        let mut label = format!("{} of {}", point.contract, point.initial_pages());
        if point.grown_pages() > Pages(0) {
            let _ = write!(label, " grown by {}", point.grown_pages().0);
        } else if point.touched_pages() != point.initial_pages() {
            let _ = write!(label, " touching {}", point.touched_pages().0);
        }
        if point.data_bytes() > Bytes(0) {
            let _ = write!(label, " with {} of data", point.data_bytes());
        }
        for phrase in point.levels.of_source(Source::Condition).phrases(true) {
            label.push(' ');
            label.push_str(&phrase);
        }
        if point.levels.of_source(Source::Process) != Levels::default() {
            label.push_str(" beside the node's process");
        }
        label
    }
}
