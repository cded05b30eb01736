use wasmtime::{Config, InstanceAllocationStrategy};

use crate::runtime::node::NodeSettings;
use crate::runtime::strategy::Strategy;

/// A new mapping for every call: Wasmtime's on-demand allocator, its default.
///
/// Instantiate: `mmap` of the reservation (4 GiB and guards, `PROT_NONE`), `mprotect` of the declared pages. First touch: a
/// fault and a zero-filled page per host page. Reset: `munmap`. Scales with touched pages; declared pages that nobody touches
/// cost nothing, and the previous tenant leaves nothing behind.
#[derive(Debug, Clone, Copy)]
pub struct FreshMap;

impl Strategy for FreshMap {
    fn name(&self) -> &'static str {
        "fresh-map"
    }

    fn summary(&self) -> &'static str {
        "a new mapping for every call, unmapped after it"
    }

    fn config(&self, _node: NodeSettings) -> Config {
        let mut config = Config::new();
        config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
        config
    }
}
