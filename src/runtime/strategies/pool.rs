use wasmtime::{Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::runtime::node::NodeSettings;
use crate::units::Bytes;

/// Wasmtime's pooling allocator that keeps `keep_resident` bytes of a memory mapped between tenants.
///
/// With one slot, as long as the chain says no other number, its reuse is deterministic. A batch of one decommits in the tenant that dirtied the pages: with a larger batch
/// a later tenant pays for it in its own drop.
pub(super) fn config(node: NodeSettings, keep_resident: Bytes) -> Config {
    config_with(node, keep_resident, Enabled::No)
}

/// The same, with or without finding resident pages by `PAGEMAP_SCAN`.
pub(super) fn config_with(node: NodeSettings, keep_resident: Bytes, scan: Enabled) -> Config {
    let mut pool = PoolingAllocationConfig::new();
    let slots = node.slots_of_pool();
    pool.total_core_instances(slots)
        .total_memories(slots)
        .total_tables(slots)
        // Calls run on the stack of their caller: a pool of others would be a thousand mappings for nothing.
        .total_stacks(0)
        .max_memory_size(node.limit.0.bytes().host_size())
        .linear_memory_keep_resident(keep_resident.host_size())
        .pagemap_scan(scan)
        .decommit_batch_size(1);
    let mut config = Config::new();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    config
}
