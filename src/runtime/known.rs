//! What is known of each strategy without running it: builds that measure nothing read runs and tables that name them.

use super::NodeSettings;
use crate::units::Bytes;

/// A strategy by its name.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Its name, [`Strategy::name`](super::Strategy::name) where it can be run.
    pub name: &'static str,
    /// Whether the first touch of a page always faults, since no page is resident when a tenant starts.
    ///
    /// A cycle with fewer faults than pages then did not do what it claims.
    pub every_page_faults: bool,
    /// Whether data is mapped into memories as an image that a module makes once. It is copied into every instance where memories are a host's own
    /// (Wasmtime's `MemoryCreator`) or blocks of an allocator.
    pub has_images: bool,
    idle: Idle,
}

/// What idle slots hold between calls.
#[derive(Debug, Clone, Copy)]
enum Idle {
    Nothing,
    /// Each the memory of its last tenant.
    Slots,
    /// What the node keeps.
    Kept,
}

/// Every strategy, in the order in which reports show them.
pub static KNOWN: [Known; 11] = [
    known("fresh-map", true, true, Idle::Nothing),
    known("pool-decommit", true, true, Idle::Nothing),
    known("pool-keep-resident", false, true, Idle::Slots),
    known("pool-pagemap-scan", false, true, Idle::Slots),
    known("decommit-huge", false, false, Idle::Nothing),
    known("recycle-zero", false, false, Idle::Kept),
    known("recycle-stream", false, false, Idle::Kept),
    known("recycle-huge", false, false, Idle::Kept),
    known("recycle-adaptive", false, false, Idle::Kept),
    known("recycle-tracked", false, false, Idle::Kept),
    known("wasmi-fresh", false, false, Idle::Nothing),
];

const fn known(name: &'static str, every_page_faults: bool, has_images: bool, idle: Idle) -> Known {
    Known { name, every_page_faults, has_images, idle }
}

impl Known {
    /// The strategy of this name, if there is one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        KNOWN.into_iter().find(|known| known.name == name)
    }

    /// Every name, for people to choose from.
    #[must_use]
    pub fn names() -> String {
        KNOWN.map(|known| known.name).join(", ")
    }

    /// The most physical memory that idle slots of one engine hold between calls: the price of not returning it to the kernel.
    #[must_use]
    pub fn idle(self, node: NodeSettings) -> Bytes {
        match self.idle {
            Idle::Nothing => Bytes(0),
            // Each last had a tenant of the largest size.
            Idle::Slots => Bytes(node.kept_in_pool().0.saturating_mul(node.slots_of_pool().into())),
            Idle::Kept => node.keep,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{MemoryLimit, STRATEGIES, Strategy};
    use crate::units::Pages;

    #[test]
    fn what_is_known_is_what_can_be_run() {
        assert_eq!(KNOWN.map(|known| known.name), STRATEGIES.map(Strategy::name));
        assert!(Known::named("no-such-strategy").is_none());
    }

    #[test]
    fn idle_slots_hold_what_is_kept_for_them() {
        let node = NodeSettings::new(MemoryLimit(Pages(16))).with_slots(3);
        let idle = |name| Known::named(name).unwrap().idle(node);
        assert_eq!(idle("fresh-map"), Bytes(0));
        assert_eq!(idle("pool-keep-resident"), Bytes(3 << 20));
        assert_eq!(idle("recycle-adaptive"), Bytes(8 << 20), "one more than runs, on whole huge pages");
    }
}
