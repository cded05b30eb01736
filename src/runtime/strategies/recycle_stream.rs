use wasmtime::Config;

use crate::runtime::node::NodeSettings;
use crate::runtime::recycle::{Recycler, Wipe};
use crate::runtime::strategy::Strategy;

/// A recycled host memory, wiped by non-temporal stores: [`Wipe::Stream`].
///
/// Instantiate: no system call while the size returns, else `mprotect` or a new slot (`mmap`, `mprotect`). First touch: no fault
/// once the slot is warm. Reset: stores past the caches over the declared and grown pages, `mprotect` if it grew; beyond the keep limit
/// `madvise(MADV_DONTNEED)` instead. Scales with declared pages, touched or not; what the previous tenant wrote changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct RecycleStream;

impl Strategy for RecycleStream {
    fn name(&self) -> &'static str {
        "recycle-stream"
    }

    fn summary(&self) -> &'static str {
        "a recycled host memory, zeroed by non-temporal stores after every call"
    }

    fn config(&self, node: NodeSettings) -> Config {
        Recycler::new(Wipe::Stream, node.keep).config()
    }
}
