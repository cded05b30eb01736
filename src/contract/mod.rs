//! Synthetic contracts: their manifests and factors, the modules compiled from them, and the facts read back.
//!
//! A contract is a folder `NAME/` with a `contract.toml` and the source that it names. Its factors are crossed into
//! [`Variant`]s; each becomes one module, whose pages, stack pointer and data are read back by [`ModuleFacts`] and
//! compared with what was asked, since a linker flag is a request and not a fact.

pub mod corpus;
mod error;
mod factors;
mod module;
mod name;
mod source;
pub mod survey;

pub use error::{ContractError, ErrorKind};
pub use factors::{Limits, Variant};
pub(crate) use module::artifact::sha256_hex;
pub use module::artifact::{Artifact, Provenance, contract_set_hash};
pub use module::compiler::Compiler;
pub use module::deploy::deploy_levels;
pub use module::expose::{expose, memory_export};
pub use module::facts::{
    DataExtent, FactsError, FunctionExport, Import, ImportKind, MemoryKind, ModuleFacts, StackPointer, Unpriced,
};
pub use module::foreign::Foreign;
pub use module::layout::{DEFAULT_STACK, StackLayout, StackOrder};
pub use module::levels::{levels_of, reads_levels};
pub use module::load::load_levels;
pub use module::store::{read_artifacts, write_artifacts};
pub use source::compile::{Compilation, CompileOptions, Skipped, compile};
pub use source::edition::Edition;
pub use source::event::CompileEvent;
pub use source::made::{made_to_deploy, made_to_load};
pub use source::set::{Contract, ContractSet, LeftOut, Source};
pub use source::toolchain::{MissingToolchain, Toolchain};
