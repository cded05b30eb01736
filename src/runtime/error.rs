use std::error::Error;

/// Why a strategy cannot run on this machine, and what would change that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

/// Why a contract cannot be run. Each variant names the contract.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The engine cannot be made under this strategy.
    #[error("strategy `{strategy}` cannot be set up on this machine")]
    Engine {
        /// Name of the strategy.
        strategy: &'static str,
        /// What Wasmtime says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// Wasmtime refuses the module.
    #[error("{contract}: the module does not compile")]
    Compile {
        /// The contract.
        contract: String,
        /// What Wasmtime says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What was compiled cannot be readied for calls.
    #[error("{contract}: the compiled module cannot be loaded, or its data not kept in memory (memfd_create)")]
    Ready {
        /// The contract.
        contract: String,
        /// What Wasmtime says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What was compiled cannot be kept, or loaded from where it is.
    #[error(
        "{contract}: its compiled code cannot be kept in memory or in a file in the folder for temporary files (TMPDIR), or loaded from there"
    )]
    Stored {
        /// The contract.
        contract: String,
        /// What Wasmtime or the system says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The module itself was not kept.
    #[error("{contract}: it was loaded to be called, and its module was not kept to be deployed")]
    NotBrought {
        /// The contract.
        contract: String,
    },
    /// The interpreter neither compiles nor keeps what was compiled.
    #[error("{contract}: nothing is compiled under wasmi: choose another strategy")]
    Interpreted {
        /// The contract.
        contract: String,
    },
    /// No stubs can be made for what the module imports.
    #[error("{contract}: its imports cannot be stubbed")]
    Stubs {
        /// The contract.
        contract: String,
        /// What Wasmtime says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The module imports something that is no function, or one name with two types, or lacks the entry.
    #[error(
        "{contract}: the module cannot be linked: it may import functions alone, each name with one type, and must \
         export a memory-touching `{entry}(i32, i32)`"
    )]
    Link {
        /// The contract.
        contract: String,
        /// The export that was looked for.
        entry: String,
        /// What Wasmtime says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The instance cannot be made: no memory, or its start function traps.
    #[error("{contract}: instantiation fails")]
    Instantiate {
        /// The contract.
        contract: String,
        /// What Wasmtime says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The touch traps.
    #[error("{contract}: the call that touches memory traps")]
    Touch {
        /// The contract.
        contract: String,
        /// What Wasmtime says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A call with others nested in it traps, or gives another result than it should.
    #[error("{contract}: the call traps, or returns what it should not")]
    Nest {
        /// The contract.
        contract: String,
        /// What the engine says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The range is not in the memory.
    #[error("{contract}: the memory is smaller than the {length} that are to be written")]
    Beyond {
        /// The contract.
        contract: String,
        /// The range.
        length: crate::units::Bytes,
    },
    /// The range cannot be passed to a 32-bit contract.
    #[error("{contract}: a range of {length} cannot be passed to a 32-bit contract")]
    Range {
        /// The contract.
        contract: String,
        /// The range.
        length: crate::units::Bytes,
    },
}
