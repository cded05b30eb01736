use super::Thresholds;
use crate::units::{Bytes, Pages};

/// Bytes in a huge page, of which what a recycled slot holds is a multiple.
pub(super) const HUGE_PAGE: u64 = 2 << 20;

/// How large a memory the node allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryLimit(pub Pages);

/// What the node gives its contracts: what a strategy is set up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeSettings {
    /// How large a memory may become.
    pub limit: MemoryLimit,
    /// What a pool keeps of each memory between tenants; `None` for all of it.
    pub keep_resident: Option<Bytes>,
    /// Memories of a pool, if they are more than the calls at once.
    pub pool_slots: u32,
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
        let node = Self { limit, keep_resident: None, pool_slots: 1, slots: 1, keep: Bytes(0), thresholds };
        node.with_slots(1)
    }

    /// What a pool keeps of each memory between tenants, in bytes.
    pub(super) fn kept_in_pool(self) -> Bytes {
        let all = self.limit.0.bytes();
        self.keep_resident.map_or(all, |kept| kept.min(all))
    }

    /// Memories of a pool.
    pub(super) fn slots_of_pool(self) -> u32 {
        self.slots.max(self.pool_slots)
    }

    /// The same with this many calls at once, each of which may leave its memory behind beside one more.
    #[must_use]
    pub fn with_slots(self, slots: u32) -> Self {
        // On huge pages a slot holds whole ones.
        let largest = self.limit.0.bytes().0.next_multiple_of(HUGE_PAGE);
        Self { slots, keep: Bytes(largest.saturating_mul(u64::from(slots) + 1)), ..self }
    }
}
