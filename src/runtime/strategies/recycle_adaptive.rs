use wasmtime::Config;

use crate::runtime::huge_pages;
use crate::runtime::node::NodeSettings;
use crate::runtime::recycle::{Recycler, Wipe};
use crate::runtime::strategy::Strategy;

/// A recycled host memory, wiped by what is cheapest on this machine for its size where each page was touched: [`Wipe::Adaptive`].
///
/// Instantiate: no system call while the size returns, else `mprotect` or a new slot (`mmap`, `mprotect`). First touch: no fault
/// once the slot is warm, and fewer translation misses on huge pages, which memories from 512 KiB on get where the kernel has them
/// (`madvise(MADV_HUGEPAGE)` once for a slot). Reset: over the declared and grown pages, by measured thresholds, `memset`, or half
/// reading and half stores past the caches, or such stores alone; `mprotect` if it grew; beyond the keep limit `madvise(MADV_DONTNEED)` instead. Scales with declared pages, touched or not;
/// what the previous tenant wrote changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct RecycleAdaptive;

impl Strategy for RecycleAdaptive {
    fn name(&self) -> &'static str {
        "recycle-adaptive"
    }

    fn summary(&self) -> &'static str {
        "a recycled host memory, zeroed after every call by what is cheapest for its size"
    }

    fn config(&self, node: NodeSettings) -> Config {
        let wipe = Wipe::Adaptive(node.thresholds);
        match huge_pages::available() {
            Ok(()) => Recycler::on_huge_pages(wipe, node.keep).config(),
            Err(_) => Recycler::new(wipe, node.keep).config(),
        }
    }

    fn uses_thresholds(&self) -> bool {
        true
    }
}
