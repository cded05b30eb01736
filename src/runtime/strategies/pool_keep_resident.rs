use wasmtime::Config;

use super::pool;
use crate::runtime::node::NodeSettings;
use crate::runtime::strategy::Strategy;

/// A pooled slot whose pages stay resident and are zeroed by hand: Wasmtime's pooling allocator with all memory kept resident, or as
/// much of each as the chain file says (`keep_resident`).
///
/// Instantiate: `mprotect` where the size differs from the slot's last. First touch: no fault once the slot is warm. Reset:
/// `memset` over the declared pages, `madvise(MADV_DONTNEED)` over those beyond what is kept. Scales with declared pages, touched or not, and holds the largest tenant's memory.
#[derive(Debug, Clone, Copy)]
pub struct PoolKeepResident;

impl Strategy for PoolKeepResident {
    fn name(&self) -> &'static str {
        "pool-keep-resident"
    }

    fn summary(&self) -> &'static str {
        "a pooled slot, its pages kept and zeroed by memset after every call"
    }

    fn config(&self, node: NodeSettings) -> Config {
        pool::config(node, node.kept_in_pool())
    }
}
