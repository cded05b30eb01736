//! What a run measures: the design points and, for each call cycle, one sample.

use serde::{Deserialize, Serialize};

use super::{Beside, Caches, Conditions, Previous, WriteWidth};
use crate::contract::Artifact;
use crate::units::{Bytes, Pages};

/// One combination of factor levels, measured again and again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DesignPoint {
    /// Name of the contract, that of its folder.
    pub contract: String,
    /// Name of the compiled variant, unique within its contract.
    pub variant: String,
    /// Name of the reset strategy.
    pub strategy: String,
    /// Pages of linear memory that the module declares.
    pub initial_pages: Pages,
    /// Shadow stack that the linker laid out, from the initial value of the stack pointer.
    pub stack_bytes: Bytes,
    /// Pages written by the touch, from address 0; beyond `initial_pages` the contract grows its memory first.
    pub touched_pages: Pages,
    /// Bytes in the module's active data segments.
    pub data_bytes: Bytes,
    /// What surrounds the cycle.
    #[serde(flatten)]
    pub conditions: Conditions,
}

impl DesignPoint {
    /// The point at which an artifact is measured under a strategy.
    #[must_use]
    pub fn new(artifact: &Artifact, strategy: &str, touched_pages: Pages, conditions: Conditions) -> Self {
        Self {
            contract: artifact.contract.clone(),
            variant: artifact.variant.clone(),
            strategy: strategy.to_owned(),
            initial_pages: artifact.initial_pages,
            stack_bytes: artifact.stack_bytes,
            touched_pages,
            data_bytes: artifact.facts.data_bytes,
            conditions,
        }
    }

    /// Pages added by `memory.grow` before they are touched.
    #[must_use]
    pub fn grown_pages(&self) -> Pages {
        self.touched_pages.beyond(self.initial_pages)
    }

    /// The name by which messages speak of this point: `touch-memory/pages17-stack64KiB touching 17 pages under fresh-map`.
    #[must_use]
    pub fn label(&self) -> String {
        let Self { contract, variant, touched_pages, strategy, conditions, .. } = self;
        let Conditions { previous, write_width, threads, caches, beside } = conditions;
        let mut label = format!("{contract}/{variant} touching {touched_pages} under {strategy}");
        if *write_width != WriteWidth::default() {
            label.push_str(", every byte");
        }
        if *previous != Previous::default() {
            label = format!("{label} after a {previous} tenant");
        }
        if *threads != 1 {
            label = format!("{label} on {threads} threads");
        }
        if *caches != Caches::default() {
            label = format!("{label} with {caches} caches");
        }
        if *beside != Beside::default() {
            label = format!("{label} beside a {beside} thread");
        }
        label
    }
}

/// The times of one call cycle, in nanoseconds, with where in the run it was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Index into [`Samples::points`].
    pub point: u32,
    /// Worker process that took it, counted from 0 over the run.
    pub process: u32,
    /// Round within the process, counted from 0. Every point appears in it at least once.
    pub round: u32,
    /// Place within the round, counted from 0.
    pub order: u32,
    /// Store and instance made, memory mapped or taken from a pool.
    pub instantiate_ns: u64,
    /// One write per host page of the touched pages, first time.
    pub first_touch_ns: u64,
    /// The same writes again, pages now resident.
    pub warm_touch_ns: u64,
    /// Instance dropped, memory wiped or unmapped.
    pub reset_ns: u64,
    /// Minor page faults of the thread during the first touch.
    pub minor_faults: u64,
    /// The reference probe taken beside the cycle: the touched pages mapped, written once per host page, unmapped.
    pub probe_ns: u64,
}

impl Sample {
    /// Memory-initialization cost in nanoseconds: instantiate + (first touch − warm touch) + reset.
    ///
    /// The warm touch is what the stores themselves cost, which instructions already pay for. Noise can make a single
    /// difference negative, so the result is signed and is not clamped.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a cycle is far shorter than 2^53 ns, which is 104 days")]
    pub fn cost_ns(&self) -> f64 {
        (self.instantiate_ns + self.first_touch_ns + self.reset_ns) as f64 - self.warm_touch_ns as f64
    }
}

/// The samples of a run with the design points they belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Samples {
    /// Every design point that a sample refers to.
    pub points: Vec<DesignPoint>,
    /// The samples in the order in which they were taken.
    pub samples: Vec<Sample>,
}

impl Samples {
    /// The points that are wanted, with their samples.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&DesignPoint) -> bool) -> Self {
        let mut points = Vec::new();
        let mut places = vec![None; self.points.len()];
        for (place, point) in places.iter_mut().zip(&self.points).filter(|(_, point)| wanted(point)) {
            *place = u32::try_from(points.len()).ok();
            points.push(point.clone());
        }
        let place = |sample: &Sample| places.get(sample.point as usize).copied().flatten();
        let moved = |sample: &Sample| place(sample).map(|point| Sample { point, ..*sample });
        Self { points, samples: self.samples.iter().filter_map(moved).collect() }
    }
}
