use wasmtime::Config;

use crate::runtime::error::Unavailable;
use crate::runtime::huge_pages;
use crate::runtime::node::NodeSettings;
use crate::runtime::recycle::{Recycler, TRACKS_WRITES};
use crate::runtime::strategy::Strategy;

/// A recycled host memory on huge pages of which only what was written is wiped: [`Recycler::tracked`].
///
/// Memories below the measured threshold are those of `recycle-adaptive`. From it on: instantiate, `sigaction` to see that the handler is
/// on top, no other system call while the size returns, else `mprotect` or a new slot (`mmap`, twice `mprotect`,
/// `madvise(MADV_HUGEPAGE)`). First touch: a fault, a signal and an `mprotect` for each of at most 16 spans of 2 MiB or more, five for a
/// memory that is written from its start to its end, and no other once the slot is warm. Reset: the spans that were opened and the grown pages are wiped as by `recycle-adaptive`, and one
/// `mprotect` protects the spans again; beyond the keep limit `madvise(MADV_DONTNEED)` instead of the wipe. Scales with written pages, by spans;
/// what the previous tenant wrote changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct RecycleTracked;

impl Strategy for RecycleTracked {
    fn name(&self) -> &'static str {
        "recycle-tracked"
    }

    fn summary(&self) -> &'static str {
        "a recycled host memory of which what was written is zeroed after every call"
    }

    fn config(&self, node: NodeSettings) -> Config {
        Recycler::tracked(node.thresholds, node.keep).config()
    }

    fn uses_thresholds(&self) -> bool {
        true
    }

    fn available(&self) -> Result<(), Unavailable> {
        if !TRACKS_WRITES {
            return Err(Unavailable(
                "writes cannot be told from other faults on this architecture, so every memory would be wiped whole: that is \
                 `recycle-adaptive`"
                    .to_owned(),
            ));
        }
        huge_pages::available()
    }
}
