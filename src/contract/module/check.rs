//! Whether a module can serve as a contract, and is what was asked.

use wasmparser::{ExternalKind, FuncType, Parser, Payload, ValType};

use super::artifact::{Artifact, Provenance, sha256_hex};
use super::facts::{ImportKind, MemoryKind, ModuleFacts, StackPointer};
use crate::contract::error::ContractError;
use crate::contract::factors::{Limits, Variant};
use crate::units::{Bytes, Pages};

/// Makes an artifact of `wasm` for `variant` of the contract, or says what is wrong with it.
pub(crate) fn artifact(
    contract: &str,
    entry: &str,
    variant: &Variant,
    wasm: Vec<u8>,
    provenance: Provenance,
    limits: Limits,
) -> Result<Artifact, ContractError> {
    let facts = ModuleFacts::read(&wasm).map_err(|source| ContractError::Facts {
        contract: contract.into(),
        variant: variant.name.clone(),
        source,
    })?;
    fitness(&facts, &wasm, entry, variant, limits).map_err(|reason| ContractError::Unfit {
        contract: contract.into(),
        variant: variant.name.clone(),
        reason,
    })?;
    agreement(contract, variant, &facts)?;
    Ok(Artifact {
        contract: contract.into(),
        variant: variant.name.clone(),
        entry: entry.into(),
        initial_pages: variant.initial_pages,
        // Which the facts bear out: see `agreement`.
        stack_bytes: variant.stack_bytes,
        touched_pages: variant.touched_pages.clone(),
        facts,
        sha256: sha256_hex(&wasm),
        wasm,
        provenance,
    })
}

/// What keeps the module from being instantiated or touched as a contract.
fn fitness(facts: &ModuleFacts, wasm: &[u8], entry: &str, variant: &Variant, limits: Limits) -> Result<(), String> {
    wasmparser::validate(wasm)
        .map_err(|e| format!("the module is invalid: {} (at byte {})", e.message(), e.offset()))?;
    if facts.memory == MemoryKind::Imported {
        return Err("the module imports its memory, and none is given to contracts here: define it in the module and \
             export it (linkers: leave --import-memory out)"
            .into());
    }
    if let Some(import) = facts.imports.iter().find(|import| import.kind != ImportKind::Function) {
        return Err(format!(
            "the module imports `{}` from `{}`, which is no function, and only functions are stubbed here: define it in the module",
            import.name, import.module
        ));
    }
    if facts.memory == MemoryKind::None {
        return Err(
            "the module has no memory, so there is nothing to measure: take it out of the set; a contract without \
             memory pays the base alone"
                .into(),
        );
    }
    if facts.memories > 1 {
        return Err(format!(
            "the module has {} memories, and one is measured: take it out of the set, or build it with one",
            facts.memories
        ));
    }
    if facts.memory64 || facts.shared {
        let (kind, flag) = if facts.memory64 {
            ("64-bit addresses", "for wasm32")
        } else {
            ("a shared memory", "without threads (linkers: leave --shared-memory out)")
        };
        return Err(format!(
            "the module has {kind}, and only an unshared memory with 32-bit addresses is measured: build it {flag}"
        ));
    }
    if facts.initial_pages == Some(Pages(0)) {
        return Err(
            "the module declares a memory of 0 pages, so no initial page can be measured: declare 1 page at least, \
             or take it out of the set; a contract of 0 pages pays the base, and what it grows"
                .into(),
        );
    }
    if !exports_memory(wasm) {
        return Err("the module does not export its memory, so that its touch cannot be checked: export it \
             (`(export \"memory\" (memory 0))`; linkers do unless --no-export-memory is given)"
            .into());
    }
    let Some(export) = facts.export(entry) else {
        let names: Vec<_> = facts.exports.iter().take(8).map(|export| format!("`{}`", export.name)).collect();
        let exported = if names.is_empty() { "none".into() } else { names.join(", ") };
        let way_out = "name one with `entry` in a contract.toml (docs/contracts.md), or measure the module as it is with \
                       `estimator verify`";
        return Err(format!("the module exports no function `{entry}`; it exports {exported}: {way_out}"));
    };
    if export.ty.as_deref() != Some(&FuncType::new([ValType::I32, ValType::I32], [])) {
        let found = export.ty.as_ref().map_or_else(|| "no known type".into(), ToString::to_string);
        return Err(format!(
            "the export `{entry}` is {found}, but must be (func (param i32 i32)): start and length in bytes"
        ));
    }
    let initial = facts.initial_pages.unwrap_or_default();
    if initial > limits.initial_pages_max {
        let limit = limits.initial_pages_max;
        return Err(format!(
            "{initial} at first, above the chain's limit of {limit}: declare less, take it out of the set, or raise \
             initial_pages_max in the chain file"
        ));
    }
    if let Some(touched) = variant.touched_pages.iter().find(|&&touched| touched > limits.pages_max) {
        let limit = limits.pages_max;
        return Err(format!(
            "{touched} to touch, above the chain's limit of {limit}: touch less, or raise pages_max in the chain file"
        ));
    }
    match (variant.touched_pages.iter().max(), facts.max_pages) {
        (Some(&touched), Some(max)) if u64::from(touched.0) > max => {
            Err(format!("{touched} to touch, but the module lets its memory grow to {max} pages only"))
        }
        _ => Ok(()),
    }
}

/// Whether the memory can be looked at from outside.
fn exports_memory(wasm: &[u8]) -> bool {
    Parser::new(0).parse_all(wasm).flatten().any(|payload| match payload {
        Payload::ExportSection(exports) => {
            exports.into_iter().flatten().any(|export| export.kind == ExternalKind::Memory)
        }
        _ => false,
    })
}

/// A flag is a request: the facts decide whether it was met.
fn agreement(contract: &str, variant: &Variant, facts: &ModuleFacts) -> Result<(), ContractError> {
    let mismatch = |what, asked: String, found: Option<String>| ContractError::Mismatch {
        contract: contract.into(),
        variant: variant.name.clone(),
        what,
        asked,
        found: found.unwrap_or_else(|| "none".into()),
    };
    if facts.initial_pages != Some(variant.initial_pages) {
        let found = facts.initial_pages.map(|pages| pages.to_string());
        return Err(mismatch("an initial memory", variant.initial_pages.to_string(), found));
    }
    // Where none of several globals is told to be the stack pointer, any of them may be.
    let pointers = match facts.stack_pointer {
        Some(StackPointer::Named(value)) => vec![value],
        _ => facts.mutable_i32.iter().map(|&value| Bytes(value.into())).collect(),
    };
    let has_none = variant.stack_bytes == Bytes(0) && facts.stack_pointer.is_none();
    if !has_none && !pointers.contains(&variant.stack_bytes) {
        let found = facts.stack_pointer.map(StackPointer::value).or(pointers.first().copied());
        return Err(mismatch("a stack pointer", variant.stack_bytes.to_string(), found.map(|bytes| bytes.to_string())));
    }
    match variant.data_bytes {
        Some(asked) if asked != facts.data_bytes => {
            let found = Some(facts.data_bytes).filter(|&bytes| bytes != Bytes(0));
            Err(mismatch("data", asked.to_string(), found.map(|bytes| bytes.to_string())))
        }
        _ => Ok(()),
    }
}
