//! The pass over the sections of a module.

use std::sync::Arc;

use wasmparser::{
    CompositeInnerType, ConstExpr, Data, DataKind, Encoding, ExternalKind, FuncType, Global, Imports, KnownCustom,
    MemoryType, Name, NameSectionReader, Operator, Parser, Payload, ProducersSectionReader, TypeRef, ValType,
};

use super::stack_pointer::{self, Layout};
use super::{FactsError, FunctionExport, Import, ImportKind, MemoryKind, ModuleFacts};
use crate::contract::module::compiler::Marks;
use crate::contract::module::foreign::Foreign;
use crate::units::{Bytes, Pages};

/// The facts so far, and the index spaces that exports refer to.
#[derive(Default)]
struct Reader {
    facts: ModuleFacts,
    types: Vec<Option<Arc<FuncType>>>,
    /// Type index of each function.
    functions: Vec<u32>,
    globals: Vec<Init>,
    /// Indices of the globals that an export, or else the name section, calls a stack pointer.
    exported_stack_pointer: Option<u32>,
    named_stack_pointer: Option<u32>,
    marks: Marks,
}

/// What is known of a global.
#[derive(Clone, Copy)]
struct Init {
    mutable: bool,
    /// Its value if it is an `i32` defined by a constant.
    value: Option<u32>,
}

impl ModuleFacts {
    /// Reads the facts of `wasm`.
    ///
    /// # Errors
    /// [`FactsError`] if the bytes are no well-formed core module, or its memory cannot be counted in pages of 64 KiB.
    pub fn read(wasm: &[u8]) -> Result<Self, FactsError> {
        if let Some(foreign) = Foreign::of(wasm) {
            return Err(FactsError::Foreign(foreign));
        }
        let mut reader = Reader::default();
        for payload in Parser::new(0).parse_all(wasm) {
            reader.section(payload?)?;
        }
        Ok(reader.finish())
    }

    /// As [`ModuleFacts::read`], having validated the whole module with every feature that the parser knows switched on.
    ///
    /// A cut between two sections leaves bytes that can be read and are no valid module; only this finds it. It costs about as
    /// much as parsing all code, and nothing of it runs.
    ///
    /// # Errors
    /// [`FactsError`] also for a module that no runtime would accept.
    pub fn read_valid(wasm: &[u8]) -> Result<Self, FactsError> {
        // First the facts: a component is named as one, which the validator would accept.
        let facts = Self::read(wasm)?;
        wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all()).validate_all(wasm)?;
        Ok(facts)
    }
}

impl Reader {
    fn section(&mut self, payload: Payload<'_>) -> Result<(), FactsError> {
        match payload {
            Payload::Version { encoding: Encoding::Component, range, .. } => {
                return Err(FactsError::Component { offset: range.start });
            }
            Payload::TypeSection(groups) => {
                for group in groups {
                    self.types.extend(group?.into_types().map(|ty| match ty.composite_type.inner {
                        CompositeInnerType::Func(function) => Some(Arc::new(function)),
                        _ => None,
                    }));
                }
            }
            Payload::ImportSection(groups) => {
                for group in groups.into_iter_with_offsets() {
                    let (offset, group) = group?;
                    self.imports(offset, group)?;
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    self.functions.push(ty?);
                    self.facts.functions += 1;
                }
            }
            Payload::MemorySection(section) => {
                for memory in section.into_iter_with_offsets() {
                    let (offset, memory) = memory?;
                    self.memory(MemoryKind::Defined, memory, offset)?;
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    self.global(&global?)?;
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    self.export(export.name, export.kind, export.index);
                }
            }
            Payload::StartSection { func, .. } => self.facts.start = Some(func),
            Payload::CodeSectionStart { range, .. } => self.facts.code_bytes = Bytes(range.len() as u64),
            Payload::DataSection(section) => {
                for segment in section {
                    self.data(&segment?)?;
                }
            }
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Producers(producers) => {
                    let languages = named(&producers, "language");
                    self.facts.language = languages.first().cloned();
                    self.marks.producers = languages;
                    self.marks.producers.extend(named(&producers, "processed-by"));
                }
                KnownCustom::Name(names) => self.named_stack_pointer = named_stack_pointer(names),
                _ => {}
            },
            // Skipping it could miss a memory or data that a newer format keeps there.
            Payload::UnknownSection { id, range, .. } => {
                return Err(FactsError::UnknownSection { id, offset: range.start });
            }
            _ => {}
        }
        Ok(())
    }

    fn imports(&mut self, offset: usize, group: Imports<'_>) -> Result<(), FactsError> {
        match group {
            Imports::Single(_, import) => self.import(&import.module.into(), import.name, import.ty, offset),
            Imports::Compact1 { module, items } => {
                let module = module.into();
                for item in items {
                    let item = item?;
                    self.import(&module, item.name, item.ty, offset)?;
                }
                Ok(())
            }
            Imports::Compact2 { module, ty, names } => {
                let module = module.into();
                for name in names {
                    self.import(&module, name?, ty, offset)?;
                }
                Ok(())
            }
        }
    }

    fn import(&mut self, module: &Arc<str>, name: &str, ty: TypeRef, offset: usize) -> Result<(), FactsError> {
        let kind = match ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                let function = self.types.get(ty as usize).and_then(Option::as_ref);
                self.marks.import(module, name, function.map(|function| function.params().len()));
                self.functions.push(ty);
                ImportKind::Function
            }
            TypeRef::Table(_) => ImportKind::Table,
            TypeRef::Memory(memory) => {
                self.memory(MemoryKind::Imported, memory, offset)?;
                ImportKind::Memory
            }
            TypeRef::Global(global) => {
                self.globals.push(Init { mutable: global.mutable, value: None });
                ImportKind::Global
            }
            TypeRef::Tag(_) => ImportKind::Tag,
        };
        self.facts.imports.push(Import { module: Arc::clone(module), name: name.into(), kind });
        Ok(())
    }

    fn memory(&mut self, kind: MemoryKind, memory: MemoryType, offset: usize) -> Result<(), FactsError> {
        if memory.page_size_log2.is_some_and(|log| log != 16) {
            return Err(FactsError::CustomPageSize { offset });
        }
        self.facts.memories += 1;
        self.facts.declared_pages = self.facts.declared_pages.saturating_add(memory.initial);
        if self.facts.memories > 1 {
            return Ok(());
        }
        let pages = |pages| u32::try_from(pages).map(Pages).map_err(|_| FactsError::TooManyPages { pages, offset });
        self.facts.memory = kind;
        self.facts.initial_pages = Some(pages(memory.initial)?);
        self.facts.max_pages = memory.maximum;
        self.facts.memory64 = memory.memory64;
        self.facts.shared = memory.shared;
        Ok(())
    }

    fn global(&mut self, global: &Global<'_>) -> Result<(), FactsError> {
        let value = match constant(&global.init_expr)? {
            Some(Constant::I32(value)) if global.ty.content_type == ValType::I32 => Some(value),
            _ => None,
        };
        self.globals.push(Init { mutable: global.ty.mutable, value });
        Ok(())
    }

    fn export(&mut self, name: &str, kind: ExternalKind, index: u32) {
        self.marks.export(name);
        match kind {
            ExternalKind::Func => {
                let ty = self.functions.get(index as usize).and_then(|&ty| self.types.get(ty as usize)?.clone());
                self.facts.exports.push(FunctionExport { name: name.into(), ty });
            }
            ExternalKind::Global => {
                let Some(global) = self.globals.get(index as usize) else { return };
                match name {
                    "__heap_base" => self.facts.heap_base = global.value,
                    "__data_end" => self.facts.data_end = global.value,
                    stack_pointer::NAME => self.exported_stack_pointer = Some(index),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn data(&mut self, segment: &Data<'_>) -> Result<(), FactsError> {
        let length = segment.data.len() as u64;
        self.facts.data_segments += 1;
        self.facts.data_bytes.0 += length;
        self.marks.data(segment.data);
        let extent = &mut self.facts.data;
        match &segment.kind {
            DataKind::Passive => extent.passive_segments += 1,
            DataKind::Active { memory_index: 0, offset_expr } => match constant(offset_expr)? {
                Some(Constant::I32(offset)) => extent.place(u64::from(offset), length),
                Some(Constant::I64(offset)) => extent.place(offset, length),
                None => extent.unplaced_segments += 1,
            },
            DataKind::Active { .. } => {}
        }
        Ok(())
    }

    fn finish(mut self) -> ModuleFacts {
        let counter = |global: &Init| global.value.filter(|_| global.mutable);
        self.facts.global0_i32 = self.globals.first().and_then(counter);
        self.facts.compiler = self.marks.compiler();
        self.facts.mutable_i32 = self.globals.iter().filter_map(counter).collect();
        let facts = &self.facts;
        let layout = Layout {
            size: facts.initial_pages.unwrap_or_default().bytes().0,
            data: facts.data.start.zip(facts.data.end),
            heap_base: facts.heap_base.map(u64::from),
            data_end: facts.data_end.map(u64::from),
        };
        let named = self.exported_stack_pointer.or(self.named_stack_pointer);
        let named = named.and_then(|index| self.globals.get(index as usize)).filter(|global| global.mutable);
        self.facts.stack_pointer = match named {
            // What is called so is it, even if its value cannot be read: then the module does not tell.
            Some(global) => global.value.and_then(|value| layout.named(value)),
            None => layout.evident(&facts.mutable_i32),
        };
        self.facts
    }
}

impl super::DataExtent {
    fn place(&mut self, offset: u64, length: u64) {
        // An empty segment writes nothing, wherever it is.
        if length == 0 {
            return;
        }
        // An end past 64 bits is invalid in every memory; it is held at the top so that it reads as out of bounds.
        let end = offset.saturating_add(length);
        self.start = Some(self.start.map_or(offset, |start| start.min(offset)));
        self.end = Some(self.end.map_or(end, |previous| previous.max(end)));
    }
}

/// The names of a field. A broken section has none: it is a remark that no figure depends on.
fn named(producers: &ProducersSectionReader<'_>, field: &str) -> Vec<String> {
    let found = producers.clone().into_iter().map_while(Result::ok).find(|found| found.name == field);
    let values = found.into_iter().flat_map(|field| field.values).map_while(Result::ok);
    values.map(|value| value.name.to_owned()).collect()
}

/// The first global of that name. A broken section names none.
fn named_stack_pointer(names: NameSectionReader<'_>) -> Option<u32> {
    let globals = names.into_iter().map_while(Result::ok).filter_map(|name| match name {
        Name::Global(names) => Some(names),
        _ => None,
    });
    let mut names = globals.flat_map(|names| names.into_iter().map_while(Result::ok));
    names.find(|naming| naming.name == stack_pointer::NAME).map(|naming| naming.index)
}

enum Constant {
    I32(u32),
    I64(u64),
}

/// The place that an expression names; `None` if it is not one constant.
pub(in crate::contract::module) fn address(expression: &ConstExpr<'_>) -> Result<Option<u64>, FactsError> {
    Ok(constant(expression)?.map(|constant| match constant {
        Constant::I32(value) => value.into(),
        Constant::I64(value) => value,
    }))
}

/// The value of an expression that is one constant, with the bits read as unsigned as addresses are.
fn constant(expression: &ConstExpr<'_>) -> Result<Option<Constant>, FactsError> {
    let mut operators = expression.get_operators_reader();
    let value = match operators.read()? {
        Operator::I32Const { value } => Constant::I32(value.cast_unsigned()),
        Operator::I64Const { value } => Constant::I64(value.cast_unsigned()),
        _ => return Ok(None),
    };
    Ok(matches!(operators.read()?, Operator::End).then_some(value))
}
