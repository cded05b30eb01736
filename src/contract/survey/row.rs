use std::collections::BTreeSet;

use serde::Serialize;

use super::STACKS;
use crate::contract::corpus::{CorpusError, Found, read_module_into};
use crate::contract::module::artifact::sha256_hex;
use crate::contract::{ModuleFacts, StackLayout, StackOrder};
use crate::units::{Bytes, Pages};

/// One file that was looked at. What is held is its facts, not its bytes.
#[derive(Debug)]
pub struct Surveyed {
    /// How tables name it.
    pub name: String,
    /// Its bytes, decompressed.
    pub bytes: Bytes,
    /// SHA-256 of these bytes, in hex; `None` where nobody asks for it, since it takes as long as much else.
    pub sha256: Option<String>,
    /// What it declares.
    pub facts: ModuleFacts,
    /// Where its stack lies; `None` if it does not tell.
    pub layout: Option<StackLayout>,
}

impl Surveyed {
    /// Reads and validates a file by a buffer that is used again, with what else is read from its bytes, its hash not among it. None of its
    /// code runs.
    ///
    /// # Errors
    /// [`CorpusError`] if it cannot be read or is no valid module, with the byte at fault.
    pub fn read_with<T>(
        found: &Found,
        wasm: &mut Vec<u8>,
        further: impl FnOnce(&[u8]) -> T,
    ) -> Result<(Self, T), CorpusError> {
        read_module_into(&found.path, wasm)?;
        let facts =
            ModuleFacts::read_valid(wasm).map_err(|source| CorpusError::Facts { path: found.path.clone(), source })?;
        Ok((Self::unhashed(found.name.clone(), wasm, facts), further(wasm)))
    }

    /// Of a module whose facts are known.
    #[must_use]
    pub fn new(name: String, wasm: &[u8], facts: ModuleFacts) -> Self {
        Self { sha256: Some(sha256_hex(wasm)), ..Self::unhashed(name, wasm, facts) }
    }

    fn unhashed(name: String, wasm: &[u8], facts: ModuleFacts) -> Self {
        let layout = StackLayout::of(&facts);
        Self { name, bytes: Bytes(wasm.len() as u64), sha256: None, facts, layout }
    }

    /// Pages of all its memories together, at instantiation; `None` beyond 32 bits.
    #[must_use]
    pub fn declared(&self) -> Option<Pages> {
        u32::try_from(self.facts.declared_pages).ok().map(Pages)
    }

    /// Whether its memory is what linkers give when nobody asks for anything else.
    #[must_use]
    pub fn is_default(&self) -> Option<bool> {
        Some(self.layout?.is_default(self.facts.initial_pages?))
    }

    /// Pages that its memories need at least with each of [`STACKS`]; `None` where it does not tell.
    #[must_use]
    pub fn at_stacks(&self) -> [Option<Pages>; 3] {
        STACKS.map(|stack| self.with_stack(stack))
    }

    /// The largest stack at which its memories need no page more than with the first of [`STACKS`], or with its own if that is smaller.
    #[must_use]
    pub fn largest_stack(&self) -> Option<Bytes> {
        let layout = self.layout?;
        layout.largest_like(layout.stack.min(STACKS[0]))
    }

    /// What [`Surveyed::at_stacks`] has, for one size of the stack.
    #[must_use]
    pub fn with_stack(&self, stack: Bytes) -> Option<Pages> {
        let layout = self.layout?;
        // What it declares beyond stack and data is its own choice, and stays.
        let others = self.declared()?.0.checked_sub(layout.needs(layout.stack)?.0)?;
        Some(Pages(layout.needs(stack)?.0.checked_add(others)?))
    }
}

/// A row of a survey. Columns are only added: the first thirteen are those of other tools' tables, and an empty cell says that the
/// module does not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the columns are specified in docs/real-contracts.md")]
pub struct SurveyRow {
    pub file: String,
    pub bytes: Option<u64>,
    pub sha256: Option<String>,
    pub initial_pages: Option<u32>,
    pub max_pages: Option<u64>,
    pub memory: Option<&'static str>,
    pub data_segments: Option<u32>,
    pub data_bytes: Option<u64>,
    pub global0_i32: Option<u32>,
    pub heap_base: Option<u32>,
    pub functions: Option<u32>,
    pub code_bytes: Option<u64>,
    pub start: Option<u32>,
    pub memories: Option<u32>,
    pub declared_pages: Option<u64>,
    pub memory64: Option<bool>,
    pub shared: Option<bool>,
    pub passive_segments: Option<u32>,
    pub unplaced_segments: Option<u32>,
    pub data_start: Option<u64>,
    pub data_end: Option<u64>,
    pub stack_pointer: Option<u64>,
    pub stack_order: Option<StackOrder>,
    pub stack_bytes: Option<u64>,
    pub stack_used: Option<bool>,
    pub linker_default: Option<bool>,
    pub pages_at_16_kib: Option<u32>,
    pub pages_at_64_kib: Option<u32>,
    pub pages_at_256_kib: Option<u32>,
    pub imports: Option<usize>,
    /// The modules imported from, separated by spaces.
    pub import_modules: Option<String>,
    pub language: Option<String>,
    /// Why the file is no contract; all else is then empty.
    pub error: Option<String>,
}

impl From<&Surveyed> for SurveyRow {
    fn from(contract: &Surveyed) -> Self {
        let Surveyed { facts, layout, .. } = contract;
        let modules: BTreeSet<&str> = facts.imports.iter().map(|import| &*import.module).collect();
        let [pages_at_16_kib, pages_at_64_kib, pages_at_256_kib] =
            contract.at_stacks().map(|pages| pages.map(|pages| pages.0));
        Self {
            file: contract.name.clone(),
            bytes: Some(contract.bytes.0),
            sha256: contract.sha256.clone(),
            initial_pages: facts.initial_pages.map(|pages| pages.0),
            max_pages: facts.max_pages,
            memory: Some(facts.memory.as_str()),
            data_segments: Some(facts.data_segments),
            data_bytes: Some(facts.data_bytes.0),
            global0_i32: facts.global0_i32,
            heap_base: facts.heap_base,
            functions: Some(facts.functions),
            code_bytes: Some(facts.code_bytes.0),
            start: facts.start,
            memories: Some(facts.memories),
            declared_pages: Some(facts.declared_pages),
            memory64: Some(facts.memory64),
            shared: Some(facts.shared),
            passive_segments: Some(facts.data.passive_segments),
            unplaced_segments: Some(facts.data.unplaced_segments),
            data_start: facts.data.start,
            data_end: facts.data.end,
            // One that contradicts the rest is none.
            stack_pointer: layout.and(facts.stack_pointer).map(|pointer| pointer.value().0),
            stack_order: layout.map(|layout| layout.order),
            stack_bytes: layout.map(|layout| layout.stack.0),
            stack_used: layout.map(|layout| layout.used),
            linker_default: contract.is_default(),
            pages_at_16_kib,
            pages_at_64_kib,
            pages_at_256_kib,
            imports: Some(facts.imports.len()),
            import_modules: Some(modules.into_iter().collect::<Vec<_>>().join(" ")),
            language: facts.language.clone(),
            error: None,
        }
    }
}

impl SurveyRow {
    /// The row of a file that is no contract.
    #[must_use]
    pub fn of_error(name: String, error: &CorpusError) -> Self {
        Self { file: name, error: Some(error.reason()), ..Self::default() }
    }
}
