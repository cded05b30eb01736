use super::recycle::Thresholds;
use crate::units::{Bytes, Pages};

/// How large a memory the node allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit(pub Pages);

/// What the node gives its contracts: what a strategy is set up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeSettings {
    /// How large a memory may become.
    pub limit: MemoryLimit,
    /// Calls that may be under way at once on one engine, each with a memory: at least 1.
    pub slots: u32,
    /// The most that idle memories of one engine may hold resident, where the strategy recycles them itself.
    pub keep: Bytes,
    /// Where `recycle-adaptive` and `recycle-tracked` change from one wipe to the other, and to tracking.
    pub thresholds: Thresholds,
}

impl NodeSettings {
    /// A node that runs one call at a time and keeps two of its largest memories, with thresholds that were not measured.
    #[must_use]
    pub fn new(limit: MemoryLimit) -> Self {
        let thresholds = Thresholds::default();
        Self { limit, slots: 1, keep: Bytes(limit.0.bytes().0.saturating_mul(2)), thresholds }
    }

    /// The same with this many calls at once, each of which may leave its memory behind beside one more.
    #[must_use]
    pub fn with_slots(self, slots: u32) -> Self {
        let keep = Bytes(self.limit.0.bytes().0.saturating_mul(u64::from(slots) + 1));
        Self { slots, keep, ..self }
    }
}
