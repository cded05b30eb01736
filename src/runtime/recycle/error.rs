use std::error::Error;
use std::io;

use crate::units::Bytes;

/// Why a memory cannot be recycled, or why an engine would not recycle it.
#[derive(Debug, thiserror::Error)]
pub enum RecycleError {
    /// The engine uses the pooling allocator, with which Wasmtime never asks a memory creator.
    #[error(
        "the engine uses the pooling allocator, which ignores host memory creators: leave the allocation strategy on demand"
    )]
    Pooling,
    /// The engine maps data segments copy-on-write, which a host memory cannot do: instantiation would panic.
    #[error("the engine maps data segments copy-on-write, which panics on host memories: set `memory_init_cow(false)`")]
    CopyOnWrite,
    /// Compiled code may reach further than a slot does, or memories may be asked to move.
    #[error(
        "the engine sets {setting} to {found}, where recycled memories need {needed}: leave it as `Recycler::config` set it"
    )]
    Setting {
        /// Name of the setting, that of its method on `wasmtime::Config`.
        setting: &'static str,
        /// What the engine has.
        found: u64,
        /// What a slot is made for.
        needed: u64,
    },
    /// Another signal handler would see the writes to a tracked memory first, and may take them for faults.
    #[error(
        "another handler of SIGSEGV was installed over that of tracked memories, which are therefore wiped whole: install it before the \
         first engine"
    )]
    Handler,
    /// The signal handler of tracked memories could not be installed.
    #[error("the handler of SIGSEGV that tracked memories need could not be installed: use `Recycler::on_huge_pages`")]
    NoHandler,
    /// The engine does not ask this recycler for memories.
    #[error("the engine takes its memories elsewhere: build it from `Recycler::config` of this recycler")]
    NotAsked,
    /// The engine cannot even run an empty module.
    #[error("the engine cannot make an instance with one page of memory")]
    Probe(#[source] Box<dyn Error + Send + Sync>),
    /// The memory is of a kind that is not recycled.
    #[error("{kind} memories are not recycled: disable that Wasm proposal, or run such modules on another engine")]
    Kind {
        /// What it is.
        kind: &'static str,
    },
    /// The request does not fit into a slot.
    #[error(
        "a memory of {asked} with a guard of {guard} does not fit into a slot of {reservation} with a guard of {slot_guard}"
    )]
    TooLarge {
        /// The larger of the reservation and the initial size.
        asked: Bytes,
        /// Guard behind it.
        guard: Bytes,
        /// What a slot reserves.
        reservation: Bytes,
        /// The guard of a slot.
        slot_guard: Bytes,
    },
    /// The memory is not to grow beyond what its slot reserves.
    #[error("a memory cannot grow to {asked}: its slot reserves {reservation}")]
    Growth {
        /// Size asked for.
        asked: Bytes,
        /// What a slot reserves.
        reservation: Bytes,
    },
    /// The kernel refuses.
    #[error("the kernel refuses to {action} {length}")]
    Kernel {
        /// What was asked of it.
        action: &'static str,
        /// How much memory is meant.
        length: Bytes,
        /// What it says.
        source: io::Error,
    },
}
