//! Host memories that are recycled: a memory creator for Wasmtime that maps a slot once and wipes it between tenants.
//!
//! Wasmtime's own strategies give a call new pages, at 1.3 to 1.9 µs for each host page that it touches, or keep them and
//! zero all that the memory declares by `memset`, which is slow beyond the caches. Here pages are kept too, but the wipe is the
//! cheapest for the size at hand, and a keep limit bounds what idle slots hold.
//!
//! ```
//! use estimator::runtime::recycle::{Recycler, Thresholds, Wipe};
//! use estimator::units::Bytes;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let recycler = Recycler::new(Wipe::Adaptive(Thresholds::default()), Bytes(256 << 20));
//! let mut config = recycler.config();
//! config.consume_fuel(true);
//! let engine = wasmtime::Engine::new(&config)?;
//! recycler.check(&engine)?;
//! # Ok(())
//! # }
//! ```
//!
//! What happens when, with one tenant at a time of one size:
//!
//! | moment | system calls | scales with |
//! |---|---|---|
//! | first use of a slot | `mmap`, `mprotect` | |
//! | instantiate | none | bytes of data segments |
//! | first touch in a new slot | a page fault each | touched pages |
//! | first touch in a used slot | none | touched pages, by cache misses |
//! | `memory.grow` | `mprotect` | |
//! | reset | none; `mprotect` if it grew | declared and grown pages |
//! | reset beyond the keep limit | `madvise(MADV_DONTNEED)` | touched pages; the next tenant faults again |
//!
//! What earlier tenants wrote changes nothing, since every reset leaves the slot as the one before it. Where tenants of many sizes are more
//! than may be kept, the slots that waited longest are unmapped by the reset that needs their room, which then costs an `munmap` each, and who comes
//! back pays for a new slot. The cost does depend on declared pages that nobody touched, unless the recycler is a [tracked](Recycler::tracked) one, whose memories fault at the first
//! write to each of at most 16 spans:
//!
//! | moment | system calls | scales with |
//! |---|---|---|
//! | instantiate | `sigaction`, to see whose handler is on top; `mprotect` in a new slot | |
//! | first write to a span | a fault, a signal and an `mprotect`; for several spans at once in a run of writes | written spans |
//! | reset | `mprotect` from the first written span to the last; none where nothing was written | written spans, grown pages |
//!
//! Traps that Wasmtime leaves open are closed: [`Recycler::config`] sets what is needed, [`Recycler::check`] finds what was
//! unset later, memories that a host makes itself with `Memory::new` come from elsewhere, and requests for 64-bit, shared or custom-page-size memories and for more than a slot reserves are errors.

mod calibrate;
mod error;
mod handler;
mod idle;
mod memory;
mod request;
mod shared;
mod slot;
mod spans;
mod stream;
mod table;
mod watch;
mod wipe;

#[cfg(test)]
mod tests;

pub use super::thresholds::Thresholds;
pub use error::RecycleError;
pub use handler::TRACKS_WRITES;
pub use watch::open;
pub use wipe::Wipe;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wasmtime::{
    Config, Engine, Instance, InstanceAllocationStrategy, LinearMemory, MemoryCreator, MemoryType, Module, Store,
};

use crate::units::{Bytes, WASM_PAGE};
use idle::Idle;
use memory::RecycledMemory;
use request::Request;
use shared::Shared;
use slot::{Layout, Slot};

/// What a slot reserves: all that a 32-bit memory can address, so that compiled code needs no bounds checks. Wasmtime's default.
const RESERVATION: u64 = 4 << 30;

/// What lies behind it, never accessible. Wasmtime's default.
const GUARD: u64 = 32 << 20;

const _: () =
    assert!(spans::HUGE_PAGE as u64 == super::node::HUGE_PAGE, "what a node keeps is counted in the pages of slots");

/// `(module (memory 1))`
const ONE_PAGE: &[u8] = b"\0asm\x01\0\0\0\x05\x03\x01\0\x01";

thread_local! {
    /// The address of what the recycler has that was last asked for a memory on this thread.
    static LAST_ASKED: Cell<usize> = const { Cell::new(0) };
}

static UNTRACKED: AtomicU64 = AtomicU64::new(0);

/// How many memories of this process were to be tracked and are wiped whole instead: [`Recycler::untracked`] of all recyclers.
#[must_use]
pub fn untracked() -> u64 {
    UNTRACKED.load(Ordering::Relaxed)
}

/// Makes the memories of an engine and recycles them. It is cheap to clone, and clones share their slots.
///
/// Several engines, stores and threads may use it at once: a slot belongs to one memory at a time.
#[derive(Debug, Clone)]
pub struct Recycler(Arc<Shared>);

impl Recycler {
    /// Memories that are wiped like this, of which idle ones hold at most `keep` in physical memory.
    ///
    /// A tenant whose slot would exceed that has those unmapped that waited longest. One that is larger than all that may be kept
    /// returns its pages to the kernel; it pays for that itself, and the next tenant of the slot pays for new pages. With `keep` 0 every tenant does.
    #[must_use]
    pub fn new(wipe: Wipe, keep: Bytes) -> Self {
        Self::with(wipe, keep, false, None)
    }

    /// The same on transparent huge pages of 2 MiB (`MADV_HUGEPAGE`), for memories of at least a quarter of that.
    ///
    /// They spare translation misses, and a new slot faults once for each. The price is memory: what a slot holds is rounded up to
    /// whole huge pages, which the keep limit counts. A tenant beyond the keep limit gives them back, and the next one has 2 MiB zeroed
    /// at its first touch. The kernel must allow them:
    /// `/sys/kernel/mm/transparent_hugepage/enabled` must not say `never`, or the advice has no effect.
    #[must_use]
    pub fn on_huge_pages(wipe: Wipe, keep: Bytes) -> Self {
        Self::with(wipe, keep, true, None)
    }

    /// The same, and only what a tenant wrote is wiped, by [`Wipe::Adaptive`]: from [`Thresholds::track_from`] on, memories are
    /// write-protected between tenants, in at most 16 spans.
    ///
    /// The first write to a span faults, and a handler of SIGSEGV opens and notes it. It is the process's, installed over
    /// Wasmtime's when the first memory is made, and hands on what does not concern it. So whatever can write counts: compiled code, the
    /// host in and out of calls, and any thread. What an embedder must see to:
    ///
    /// - **The kernel does not fault.** A system call that writes to a span that nobody wrote to yet fails with `EFAULT`:
    ///   [`open`] the buffer before it.
    /// - **Handlers of SIGSEGV** are installed before the first engine. One that is installed later and does not hand on breaks this
    ///   program; if it does hand on, memories are wiped whole from then on ([`Recycler::untracked`]).
    /// - **Threads** that write to a memory do not block SIGSEGV.
    /// - **`Engine::unload_process_handlers`** aborts the process, since Wasmtime's handler is not on top.
    /// - **Debuggers** stop at each first write: `handle SIGSEGV nostop noprint pass` in gdb.
    /// - Writes through `/proc/self/mem` or `ptrace` are not seen, and not wiped.
    ///
    /// Where writes cannot be told from other faults ([`TRACKS_WRITES`]), this is [`Recycler::on_huge_pages`]. Fibres (Wasmtime's
    /// feature `async`) and atomic instructions (`threads`) fault like other code; neither is compiled in here, so no test covers them.
    #[must_use]
    pub fn tracked(thresholds: Thresholds, keep: Bytes) -> Self {
        Self::with(Wipe::Adaptive(thresholds), keep, true, thresholds.track_from)
    }

    /// A tracked one that forgets a part of what was written: what the isolation check must find.
    #[cfg(test)]
    pub(in crate::runtime) fn forgetting_a_span(keep: Bytes) -> Self {
        Self::with(Wipe::ButLast, keep, true, Some(Bytes(4 << 20)))
    }

    fn with(wipe: Wipe, keep: Bytes, huge: bool, track_from: Option<Bytes>) -> Self {
        let layout = Layout { reservation: Bytes(RESERVATION).host_size(), guard: Bytes(GUARD).host_size() };
        let track_from = track_from.filter(|_| TRACKS_WRITES).map(Bytes::host_size);
        let idle = Idle::new(keep.host_size());
        Self(Arc::new(Shared { layout, wipe, huge, track_from, idle, untracked: AtomicU64::new(0) }))
    }

    /// A Wasmtime configuration that takes its memories here. Add to it what you need; [`Recycler::check`] the engine.
    #[must_use]
    pub fn config(&self) -> Config {
        let mut config = Config::new();
        config
            .allocation_strategy(InstanceAllocationStrategy::OnDemand)
            .memory_reservation(RESERVATION)
            .memory_guard_size(GUARD)
            // Before a memory lies its slot's lead, not a guard: a defence in depth that compiled code does not need.
            .guard_before_linear_memory(false)
            .memory_may_move(false)
            .memory_init_cow(false)
            .with_host_memory(Arc::new(self.clone()));
        config
    }

    /// Makes sure that an engine does take its memories here and can do so safely, by its settings and by one small instance.
    ///
    /// # Errors
    /// What was set against it since [`Recycler::config`], with the way out.
    pub fn check(&self, engine: &Engine) -> Result<(), RecycleError> {
        if engine.get_pooling_config().is_some() {
            return Err(RecycleError::Pooling);
        }
        if engine.get_memory_init_cow() {
            return Err(RecycleError::CopyOnWrite);
        }
        let settings = [
            ("memory_reservation", engine.get_memory_reservation(), RESERVATION),
            ("memory_guard_size", engine.get_memory_guard_size(), GUARD),
            ("memory_may_move", engine.get_memory_may_move().into(), 0),
        ];
        if let Some((setting, found, needed)) = settings.into_iter().find(|(_, found, needed)| found != needed) {
            return Err(RecycleError::Setting { setting, found, needed });
        }
        let is_tracked = self.0.track_from.is_some();
        if is_tracked && !engine.get_signals_based_traps() {
            // Whoever turns them off wants no handler of signals, which tracked memories are.
            return Err(RecycleError::Setting { setting: "signals_based_traps", found: 0, needed: 1 });
        }
        let failed = |e: wasmtime::Error| RecycleError::Probe(e.into());
        let module = Module::new(engine, ONE_PAGE).map_err(failed)?;
        LAST_ASKED.set(0);
        Instance::new(Store::new(engine, ()), &module, &[]).map_err(failed)?;
        if LAST_ASKED.get() != Arc::as_ptr(&self.0).addr() {
            return Err(RecycleError::NotAsked);
        }
        if is_tracked && !handler::is_on_top() {
            return Err(if handler::is_installed() { RecycleError::Handler } else { RecycleError::NoHandler });
        }
        Ok(())
    }

    /// How many memories were to be tracked and are wiped whole instead: another handler of SIGSEGV was on top, some thousand
    /// memories were tracked already, or the kernel refused to protect more.
    #[must_use]
    pub fn untracked(&self) -> u64 {
        self.0.untracked.load(Ordering::Relaxed)
    }

    /// How many slots wait for a tenant.
    #[must_use]
    pub fn idle_slots(&self) -> usize {
        self.0.idle.len()
    }

    /// The most that they hold in physical memory; never above the keep limit.
    #[must_use]
    pub fn kept(&self) -> Bytes {
        Bytes(self.0.idle.kept() as u64)
    }

    fn memory(&self, request: &Request) -> Result<RecycledMemory, RecycleError> {
        let shared = &self.0;
        request.check(shared.layout)?;
        if shared.track_from.is_some() {
            handler::install();
        }
        let is_tracked = shared.track_from.is_some_and(|from| request.minimum >= from);
        let mut slot = match shared.idle.take(request.minimum, Slot::footprint(request.minimum, shared.huge)) {
            Some(mut slot) => {
                slot.fit(request.minimum)?;
                slot
            }
            None => Slot::map(shared.layout, request.minimum, shared.huge)?,
        };
        // A smaller memory may get the slot of a tracked one, and nobody looks whose handler is on top for it.
        if !is_tracked {
            slot.untrack()?;
        } else if !slot.track()? {
            shared.untracked.fetch_add(1, Ordering::Relaxed);
            UNTRACKED.fetch_add(1, Ordering::Relaxed);
        }
        LAST_ASKED.set(Arc::as_ptr(shared).addr());
        Ok(RecycledMemory::new(Arc::clone(shared), slot))
    }
}

// SAFETY: the memory has the asked size, is zero, and lies in a slot that reserves at least what was asked for.
#[expect(unsafe_code, reason = "compiled code relies on the mapping that this returns")]
unsafe impl MemoryCreator for Recycler {
    fn new_memory(
        &self,
        ty: MemoryType,
        minimum: usize,
        _maximum: Option<usize>,
        reserved_size_in_bytes: Option<usize>,
        guard_size_in_bytes: usize,
    ) -> Result<Box<dyn LinearMemory>, String> {
        let kinds =
            [(ty.is_64(), "64-bit"), (ty.is_shared(), "shared"), (ty.page_size() != WASM_PAGE, "custom-page-size")];
        let kind = kinds.into_iter().find_map(|(is, kind)| is.then_some(kind));
        let request = Request { kind, minimum, reserved: reserved_size_in_bytes, guard: guard_size_in_bytes };
        let memory = self.memory(&request).map_err(|error| described(&error))?;
        Ok(Box::new(memory))
    }
}

/// The error with its causes: Wasmtime takes a text.
fn described(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
