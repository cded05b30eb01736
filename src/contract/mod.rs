//! Synthetic contracts: their manifests and factors, the modules compiled from them, and the facts read back.
//!
//! A contract is a folder `NAME/` with a `contract.toml` and the source that it names. Its factors are crossed into
//! [`Variant`]s; each becomes one module, whose pages, stack pointer and data are read back by [`ModuleFacts`] and
//! compared with what was asked, since a linker flag is a request and not a fact.

mod artifact;
mod cache;
mod check;
mod compile;
pub mod corpus;
mod error;
mod event;
mod expose;
mod factors;
mod facts;
mod foreign;
mod job;
mod layout;
mod manifest;
mod name;
mod rust;
mod set;
mod store;
pub mod survey;
mod toolchain;

pub(crate) use artifact::sha256_hex;
pub use artifact::{Artifact, Provenance, contract_set_hash};
pub use compile::{Compilation, CompileOptions, Skipped, compile};
pub use error::{ContractError, ErrorKind};
pub use event::CompileEvent;
pub use expose::{expose, memory_export};
pub use factors::{Limits, Variant};
pub use facts::{DataExtent, FactsError, FunctionExport, Import, ImportKind, MemoryKind, ModuleFacts, StackPointer};
pub use foreign::Foreign;
pub use layout::{DEFAULT_STACK, StackLayout, StackOrder};
pub use set::{Contract, ContractSet, LeftOut, Source};
pub use store::{read_artifacts, write_artifacts};
pub use toolchain::{MissingToolchain, TARGET, Toolchain};
