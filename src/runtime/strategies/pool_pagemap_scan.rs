use wasmtime::{Config, Enabled, PoolingAllocationConfig};

use super::pool;
use crate::runtime::error::Unavailable;
use crate::runtime::node::NodeSettings;
use crate::runtime::strategy::Strategy;

/// A pooled slot whose pages stay resident, of which only those that hold something are zeroed: Wasmtime's pooling allocator
/// with the `PAGEMAP_SCAN` system call (Linux 6.7,
/// [kernel documentation](https://docs.kernel.org/admin-guide/mm/pagemap.html)).
///
/// Instantiate: `mprotect` where the size differs from the slot's last. First touch: no fault where an earlier tenant touched.
/// Reset: one `ioctl(PAGEMAP_SCAN)` over the declared pages and `memset` over those that are resident; beyond 32 regions
/// `madvise(MADV_DONTNEED)` over the rest. Scales with the pages that this tenant or any earlier one dirtied: a page stays
/// resident, and is zeroed again for every later tenant.
#[derive(Debug, Clone, Copy)]
pub struct PoolPagemapScan;

impl Strategy for PoolPagemapScan {
    fn name(&self) -> &'static str {
        "pool-pagemap-scan"
    }

    fn summary(&self) -> &'static str {
        "a pooled slot, its resident pages found by a scan and zeroed by memset after every call"
    }

    fn config(&self, node: NodeSettings) -> Config {
        pool::config_with(node, node.kept_in_pool(), Enabled::Yes)
    }

    fn available(&self) -> Result<(), Unavailable> {
        if PoolingAllocationConfig::is_pagemap_scan_available() {
            Ok(())
        } else {
            Err(Unavailable("the kernel has no PAGEMAP_SCAN: it needs Linux 6.7 or newer".into()))
        }
    }
}
