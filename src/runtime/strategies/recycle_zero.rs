use wasmtime::Config;

use crate::runtime::node::NodeSettings;
use crate::runtime::recycle::{Recycler, Wipe};
use crate::runtime::strategy::Strategy;

/// A recycled host memory, wiped by `memset`: [`Wipe::Zero`].
///
/// Instantiate: no system call while the size returns, else `mprotect` or a new slot (`mmap`, `mprotect`). First touch: no fault
/// once the slot is warm. Reset: `memset` over the declared and grown pages, `mprotect` if it grew; beyond the keep limit
/// `madvise(MADV_DONTNEED)` instead. Scales with declared pages, touched or not; what the previous tenant wrote changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct RecycleZero;

impl Strategy for RecycleZero {
    fn name(&self) -> &'static str {
        "recycle-zero"
    }

    fn summary(&self) -> &'static str {
        "a recycled host memory, zeroed by memset after every call"
    }

    fn config(&self, node: NodeSettings) -> Config {
        Recycler::new(Wipe::Zero, node.keep).config()
    }
}
