use wasmtime::Config;

use crate::runtime::error::Unavailable;
use crate::runtime::huge_pages;
use crate::runtime::node::NodeSettings;
use crate::runtime::recycle::{Recycler, Wipe};
use crate::runtime::strategy::Strategy;
use crate::units::Bytes;

/// A host memory on transparent huge pages that are given back after every call: [`Recycler::on_huge_pages`] that keeps nothing.
///
/// System calls: `mmap`, `mprotect` and `madvise(MADV_HUGEPAGE)` once for a slot, `madvise(MADV_DONTNEED)` after each call. First touch: a
/// fault and 2 MiB zeroed for each huge page. Scales with touched pages, by huge pages; declared pages that nobody touches cost
/// nothing, and nothing is held between calls. A memory below 512 KiB gets no huge page and faults page by page. What the previous tenant wrote
/// changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct DecommitHuge;

impl Strategy for DecommitHuge {
    fn name(&self) -> &'static str {
        "decommit-huge"
    }

    fn summary(&self) -> &'static str {
        "a host memory on huge pages that are given back after every call"
    }

    fn config(&self, _: NodeSettings) -> Config {
        Recycler::on_huge_pages(Wipe::Zero, Bytes(0)).config()
    }

    fn available(&self) -> Result<(), Unavailable> {
        huge_pages::available()
    }
}
