use super::deploy::Deployment;
use super::error::RuntimeError;
use super::stored::Stored;
use crate::units::{Bytes, Pages};

/// A contract as a runtime takes it: its bytes and the export that touches its memory.
#[derive(Debug, Clone, Copy)]
pub struct ContractCode<'a> {
    /// How messages name it, such as `touch-memory/pages17-stack64KiB`.
    pub label: &'a str,
    /// The Wasm module.
    pub wasm: &'a [u8],
    /// Exported function `(start: i32, length: i32)` that writes one byte per host page of that range.
    pub entry: &'a str,
    /// Whether the module is kept, to be [deployed](LoadedContract::deploy) again.
    pub is_brought: bool,
}

/// Something that runs contracts: one engine under one reset strategy.
pub trait Runtime {
    /// Compiles the contract and readies everything that a call does not pay for. Functions that it imports trap when called.
    ///
    /// # Errors
    /// The module is refused, imports something that is no function, or lacks the entry.
    fn load(&self, code: ContractCode<'_>) -> Result<Box<dyn LoadedContract>, RuntimeError>;
}

/// A compiled contract, ready to be instantiated any number of times.
pub trait LoadedContract: Send + Sync {
    /// Makes the store and the instance, with its memory mapped or taken from a pool.
    ///
    /// # Errors
    /// The memory cannot be had, or the start function traps.
    fn instantiate(&self) -> Result<Box<dyn Tenant + '_>, RuntimeError>;

    /// Lets another tenant come and go on the same engine, in the slot that the contract will get where there are slots. It
    /// declares [`PREDECESSOR`], and writes to every host page of it if it is to be `dirty`.
    ///
    /// # Errors
    /// The memory cannot be had.
    fn precede(&self, dirty: bool) -> Result<(), RuntimeError>;

    /// Makes the contract ready as a node does that has it compiled and `stored`, on an engine that has no other module. `lap` is called
    /// when that begins, when there is a module, when its imports are resolved, when it has its first instance, when that is gone, and when
    /// the module is given up.
    ///
    /// # Errors
    /// The compiled code cannot be kept there or loaded from there, or the contract cannot be instantiated.
    fn load_anew(&self, stored: Stored, lap: &mut dyn FnMut()) -> Result<(), RuntimeError>;

    /// Does with the module itself what a node does to which it is brought.
    ///
    /// # Errors
    /// The engine refuses the module, or it was not kept ([`ContractCode::is_brought`]).
    fn deploy(&self, deployment: Deployment) -> Result<(), RuntimeError>;
}

/// What the other tenant declares: 64 MiB, the most that NEAR gives. Less where the node allows less.
pub const PREDECESSOR: Pages = Pages(1024);

/// An instance that holds a memory. Dropping it is the reset.
pub trait Tenant {
    /// Calls the entry on the range from address 0 of this length.
    ///
    /// # Errors
    /// The contract traps.
    fn touch(&mut self, length: Bytes) -> Result<(), RuntimeError>;

    /// Lets the host write to the range from address 0 of this length, to which the memory grows first, as it does for a contract's
    /// `memory.fill`.
    ///
    /// # Errors
    /// The memory is smaller and cannot grow to it.
    fn write(&mut self, length: Bytes, write: fn(&mut [u8])) -> Result<(), RuntimeError>;

    /// The linear memory as it stands, for the host to read and to write.
    fn memory(&mut self) -> &mut [u8];
}
