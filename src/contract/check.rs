//! Whether a module can serve as a contract, and is what was asked.

use wasmparser::{FuncType, ValType};

use super::artifact::{Artifact, Provenance, sha256_hex};
use super::error::ContractError;
use super::factors::{Limits, Variant};
use super::facts::{MemoryKind, ModuleFacts, StackPointer};
use crate::units::Bytes;

/// Makes an artifact of `wasm` for `variant` of the contract, or says what is wrong with it.
pub(super) fn artifact(
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
    if let Some(import) = facts.imports.first() {
        return Err(format!(
            "the module imports `{}` from `{}`, and nothing is given to contracts here: build it without imports",
            import.name, import.module
        ));
    }
    if facts.memory == MemoryKind::None {
        return Err("the module has no memory, so there is nothing to measure".into());
    }
    if facts.memories > 1 {
        return Err(format!("the module has {} memories; one is measured", facts.memories));
    }
    if facts.memory64 || facts.shared {
        let kind = if facts.memory64 { "64-bit addresses" } else { "a shared memory" };
        return Err(format!("the module has {kind}; only an unshared memory with 32-bit addresses is measured"));
    }
    let Some(export) = facts.export(entry) else {
        let names: Vec<_> = facts.exports.iter().take(8).map(|export| format!("`{}`", export.name)).collect();
        let exported = if names.is_empty() { "none".into() } else { names.join(", ") };
        return Err(format!("the module exports no function `{entry}`; it exports {exported}"));
    };
    if export.ty.as_deref() != Some(&FuncType::new([ValType::I32, ValType::I32], [])) {
        let found = export.ty.as_ref().map_or_else(|| "no known type".into(), ToString::to_string);
        return Err(format!(
            "the export `{entry}` is {found}, but must be (func (param i32 i32)): start and length in bytes"
        ));
    }
    let initial = facts.initial_pages.unwrap_or_default();
    if initial > limits.initial_pages_max {
        return Err(format!("{initial} at first, above the chain's limit of {}", limits.initial_pages_max));
    }
    if let Some(touched) = variant.touched_pages.iter().find(|&&touched| touched > limits.pages_max) {
        return Err(format!("{touched} to touch, above the chain's limit of {}", limits.pages_max));
    }
    match (variant.touched_pages.iter().max(), facts.max_pages) {
        (Some(&touched), Some(max)) if u64::from(touched.0) > max => {
            Err(format!("{touched} to touch, but the module lets its memory grow to {max} pages only"))
        }
        _ => Ok(()),
    }
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
