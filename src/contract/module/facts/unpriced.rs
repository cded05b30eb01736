//! What a module has a runtime do that no factor counts, by name.

/// Why a charge by what a module declares holds nothing for it.
///
/// What a runtime cannot lay out when it compiles a module it does by code of its own at every instance, entry by entry; Wasmtime calls that the
/// startup function (`try_static_init` and `try_func_table_init` in `wasmtime-environ`). No toolchain for contracts makes modules for which
/// that is more than to place data and to call a start function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unpriced {
    /// More than one memory.
    #[error("it has a second memory")]
    Memories,
    /// A memory of 64 bits, each access to which is checked.
    #[error("its memory is one of 64 bits")]
    Memory64,
    /// More than one table.
    #[error("it has a second table")]
    Tables,
    /// A table whose entries have a value before any segment.
    #[error("its table is filled with a value of its own")]
    FilledTable,
    /// Elements that are no part of the table's first image.
    #[error(
        "an element segment is no part of its table from the start: it is passive, or made of expressions, or lies at no constant place, out of \
         bounds, or in a table that is imported or not of functions"
    )]
    Elements,
    /// Data that is no part of the memory's first image.
    #[error(
        "an active data segment lies at no constant place, out of bounds, or in an imported memory, so that all data is copied into every instance"
    )]
    UnplacedData,
    /// Data that is too far apart for an image.
    #[error("its data spans 16 MiB or more and fills half of that at most, so that it is copied into every instance")]
    SparseData,
    /// Data that code copies.
    #[error("a data segment is passive")]
    PassiveData,
    /// A global that is computed.
    #[error("a global begins with something other than a constant")]
    Global,
    /// A type that is no function's.
    #[error("a type is not that of a function")]
    Type,
    /// A type of others' kind: whoever validates a value of it walks from type to type.
    #[error("a type is a subtype, or others may be subtypes of it")]
    Subtype,
    /// Sections that nobody reads, each of which a validator begins anew for.
    #[error("it has more than 64 custom sections: take out those that nobody reads")]
    CustomSections,
    /// A tag of exceptions.
    #[error("it has tags for exceptions")]
    Tag,
}
