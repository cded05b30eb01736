use std::sync::atomic::AtomicU64;

use super::idle::Idle;
use super::slot::Layout;
use super::wipe::Wipe;

/// What a recycler and its memories have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) layout: Layout,
    pub(super) wipe: Wipe,
    pub(super) huge: bool,
    /// Smallest memory whose writes are tracked; `None` where no writes are.
    pub(super) track_from: Option<usize>,
    pub(super) idle: Idle,
    /// How many memories were to be tracked and were not.
    pub(super) untracked: AtomicU64,
}
