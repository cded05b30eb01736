use wasmtime::Config;

use super::pool;
use crate::runtime::node::NodeSettings;
use crate::runtime::strategy::Strategy;
use crate::units::Bytes;

/// A pooled slot whose pages go back to the kernel after every call: Wasmtime's pooling allocator with nothing kept resident.
///
/// Instantiate: `mprotect` where the size differs from the slot's last. First touch: a fault and a zero-filled page per host
/// page. Reset: `madvise(MADV_DONTNEED)` over the declared pages. Scales with touched pages.
#[derive(Debug, Clone, Copy)]
pub struct PoolDecommit;

impl Strategy for PoolDecommit {
    fn name(&self) -> &'static str {
        "pool-decommit"
    }

    fn summary(&self) -> &'static str {
        "a pooled slot, its pages returned to the kernel after every call"
    }

    fn config(&self, node: NodeSettings) -> Config {
        pool::config(node, Bytes(0))
    }
}
