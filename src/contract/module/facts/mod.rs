//! What a module declares, read from its bytes without running or compiling it.

mod read;
mod stack_pointer;
mod unpriced;

use std::sync::Arc;

use wasmparser::FuncType;

use super::compiler::Compiler;
use super::foreign::Foreign;
use crate::units::{Bytes, Pages};

pub(in crate::contract::module) use read::address;
pub use stack_pointer::StackPointer;
pub use unpriced::Unpriced;

/// The facts of a core WebAssembly module that its memory costs follow from.
///
/// They are read, not validated: a module may have facts and still be invalid. What is held is proportional to the
/// size of the module, whatever counts it claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleFacts {
    /// Whether memory 0 is defined here, imported, or missing.
    pub memory: MemoryKind,
    /// How many memories there are, imported ones included.
    pub memories: u32,
    /// Pages of memory 0 at instantiation; `None` without a memory.
    pub initial_pages: Option<Pages>,
    /// Pages of all memories at instantiation together.
    pub declared_pages: u64,
    /// Declared maximum of memory 0.
    pub max_pages: Option<u64>,
    /// Whether memory 0 has 64-bit addresses.
    pub memory64: bool,
    /// Whether memory 0 is shared between threads.
    pub shared: bool,
    /// Data segments, active and passive.
    pub data_segments: u32,
    /// Bytes in all data segments.
    pub data_bytes: Bytes,
    /// Where active data segments lie.
    pub data: DataExtent,
    /// Value of global 0 if it is a mutable `i32` defined by a constant.
    pub global0_i32: Option<u32>,
    /// Value of the exported global `__heap_base`, where linkers say the heap begins.
    pub heap_base: Option<u32>,
    /// Value of the exported global `__data_end`, where linkers say that static data ends, zero-filled data included.
    pub data_end: Option<u32>,
    /// Source language by the `producers` section, such as `Rust`; many contracts have the section stripped.
    pub language: Option<String>,
    /// What compiled it, by that section or by what compilers leave behind; `None` if nothing tells.
    pub compiler: Option<Compiler>,
    /// Values of all mutable `i32` globals defined by a constant: a stack pointer is among them, unless it was dropped as unused.
    pub mutable_i32: Vec<u32>,
    /// Initial stack pointer; `None` if the module does not tell.
    pub stack_pointer: Option<StackPointer>,
    /// Functions defined in the module.
    pub functions: u32,
    /// Size of the code section.
    pub code_bytes: Bytes,
    /// Index of the start function.
    pub start: Option<u32>,
    /// What must be given to instantiate the module.
    pub imports: Vec<Import>,
    /// Exported functions.
    pub exports: Vec<FunctionExport>,
}

/// Where memory 0 of a module comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MemoryKind {
    /// There is no memory.
    #[default]
    None,
    /// The module defines it.
    Defined,
    /// The host gives it.
    Imported,
}

impl MemoryKind {
    /// The word used in tables: `none`, `defined` or `imported`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Defined => "defined",
            Self::Imported => "imported",
        }
    }
}

/// Where the active data segments of memory 0 lie. Segments for other memories count in neither end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DataExtent {
    /// Passive segments: copied by code, if ever, so they have no place.
    pub passive_segments: u32,
    /// Active segments whose offset is not a constant, such as an imported global. The ends below leave them out.
    pub unplaced_segments: u32,
    /// Lowest offset.
    pub start: Option<u64>,
    /// Highest end: one past the last byte.
    pub end: Option<u64>,
}

/// One import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The module it is asked from; shared between imports, since an encoding exists that writes it once for many.
    pub module: Arc<str>,
    /// Its name.
    pub name: String,
    /// What is imported.
    pub kind: ImportKind,
}

/// What an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub enum ImportKind {
    Function,
    Table,
    Memory,
    Global,
    Tag,
}

/// An exported function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionExport {
    /// Its name.
    pub name: String,
    /// Its type; `None` if the module is invalid and the index leads nowhere.
    pub ty: Option<Arc<FuncType>>,
}

impl ModuleFacts {
    /// The exported function of that name.
    #[must_use]
    pub fn export(&self, name: &str) -> Option<&FunctionExport> {
        self.exports.iter().find(|export| export.name == name)
    }
}

/// Why no facts can be read.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// The bytes are something else altogether.
    #[error("not a Wasm module but {} (at byte 0): {}", .0.what, .0.way_out)]
    Foreign(Foreign),
    /// The bytes are not a WebAssembly module, are cut short, or are malformed at a byte offset.
    #[error("not a well-formed Wasm module: {} (at byte {})", .0.message(), .0.offset())]
    Malformed(wasmparser::Error),
    /// The bytes are a component.
    #[error(
        "a component, not a core module (at byte {offset}): give the core module inside it (wasm-tools component unbundle)"
    )]
    Component {
        /// Where the header says so.
        offset: usize,
    },
    /// A section of a kind that core modules do not have.
    #[error("section of the unknown kind {id} (at byte {offset})")]
    UnknownSection {
        /// The number of the kind.
        id: u8,
        /// Where its contents begin.
        offset: usize,
    },
    /// The memory has more pages than 32 bits count.
    #[error("memory of {pages} pages (at byte {offset}): more than any host can give")]
    TooManyPages {
        /// The declared pages.
        pages: u64,
        /// Where the memory is declared.
        offset: usize,
    },
    /// It has a runtime do what no factor of a charge by what it declares counts.
    #[error(
        "{0}, which no factor of the charge counts: a chain that charges by what a module declares refuses such modules"
    )]
    Unpriced(Unpriced),
    /// The memory has pages of another size than 64 KiB.
    #[error("memory with a custom page size (at byte {offset}): only pages of 64 KiB are supported")]
    CustomPageSize {
        /// Where the memory is declared.
        offset: usize,
    },
}

impl From<wasmparser::Error> for FactsError {
    fn from(error: wasmparser::Error) -> Self {
        Self::Malformed(error)
    }
}

#[cfg(test)]
mod tests;
