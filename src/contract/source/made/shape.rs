//! What a module declares, and the module.

use std::borrow::Cow;

use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind, ExportSection,
    FunctionSection, GlobalSection, GlobalType, ImportSection, MemorySection, MemoryType, Module, NameMap, NameSection,
    RefType, StartSection, TableSection, TableType, TypeSection, ValType,
};

use super::body::{Mix, Passing, idle, passing};
use crate::contract::error::ContractError;
use crate::contract::factors::{Limits, Variant};
use crate::contract::module::artifact::{Artifact, Provenance};
use crate::contract::module::check;
use crate::units::{Bytes, Pages, WASM_PAGE};

/// What a module declares beyond the least: a type, a function and a memory, the last two exported.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub functions: u32,
    pub types: u32,
    /// Parameters that each of these types has beside those that tell it from the others.
    pub values: u32,
    /// Results that each of them has.
    pub results: u32,
    pub globals: u32,
    pub imports: u32,
    pub exports: u32,
    /// Entries of the table that are filled.
    pub elements: u32,
    /// Empty entries before them.
    pub empty: u32,
    /// Length of each further import's and export's name, where that is more than its number needs.
    pub name: usize,
    /// Bytes of code, in functions that do some work.
    pub code: usize,
    /// In how many functions it is at most.
    pub filled: u32,
    /// What work that is.
    pub mix: Mix,
    /// Locals that the first of these functions declares and does not use.
    pub locals: u32,
    /// How many more it declares one by one, no two in a row of one type.
    pub groups: u32,
    /// Bytes that active data spans.
    pub data: u64,
    /// Data segments of four bytes that the data is in; 0 for a page of it at the beginning and a byte at the end.
    pub segments: u32,
    /// How many segments have all of it instead, one over the other.
    pub layers: u32,
    /// Whether a further function, which does nothing, is called at the start.
    pub start: bool,
}

/// The export that a contract must have. A module that is loaded or deployed is not called.
const ENTRY: &str = "touch";

/// Functions that code is in at most, where only its length counts.
pub(super) const FILLED: u32 = 64;

impl Default for Shape {
    fn default() -> Self {
        Self::LEAST
    }
}

impl Shape {
    /// Nothing beyond the least.
    pub(super) const LEAST: Self = Self {
        functions: 0,
        types: 0,
        values: 0,
        results: 1,
        globals: 0,
        imports: 0,
        exports: 0,
        elements: 0,
        empty: 0,
        name: 0,
        code: 0,
        filled: FILLED,
        mix: Mix::Sums,
        locals: 0,
        groups: 0,
        data: 0,
        segments: 0,
        layers: 0,
        start: false,
    };

    /// As many as the data needs.
    pub(super) fn pages(&self) -> Pages {
        Bytes(self.data.max(1)).pages_up().unwrap_or(Pages(u32::MAX))
    }

    /// Whether a function is one of those that the code is in.
    fn works(&self, number: u32) -> bool {
        self.code > 0 && (1..=self.filled).contains(&number)
    }

    pub(super) fn artifact(&self, contract: &str, name: String, limits: Limits) -> Result<Artifact, ContractError> {
        let pages = self.pages();
        let variant =
            Variant { name, initial_pages: pages, stack_bytes: Bytes(0), data_bytes: None, touched_pages: vec![pages] };
        check::artifact(contract, ENTRY, &variant, self.module(), Provenance::default(), limits)
    }

    fn module(&self) -> Vec<u8> {
        let name = |kind: char, number: u32| format!("{:_<width$}", format!("{kind}{number}"), width = self.name);
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32; 2], []);
        for number in 0..self.types {
            let more = std::iter::repeat_n(ValType::I64, self.values as usize);
            let results = std::iter::repeat_n(ValType::I64, self.results as usize);
            types.ty().function(signature(number).into_iter().chain(more).collect::<Vec<_>>(), results);
        }
        // The type of all that is passed, and the function that passes it.
        let (passing_type, passed) = (1 + self.types, self.mix.passed());
        if let Some(values) = passed {
            let values = std::iter::repeat_n(ValType::I64, values as usize);
            types.ty().function(values.clone(), values);
        }
        if self.start {
            types.ty().function([], []);
        }
        // Imports and functions take the types by turns, and exports and elements the functions: the runtime then finds another one each
        // time, as in real contracts.
        let turn = |number: u32| if self.types > 0 { 1 + number % self.types } else { 0 };
        let mut imports = ImportSection::new();
        for number in 0..self.imports {
            imports.import("env", &name('i', number), EntityType::Function(turn(number)));
        }
        let is_imported = matches!(self.mix, Mix::Importing);
        if is_imported {
            imports.import("env", "callee", EntityType::Function(passing_type));
        }
        let (first, functions) = (self.imports + u32::from(is_imported), self.functions + 1);
        let mut declared = FunctionSection::new();
        for number in 0..functions {
            declared.function(if self.works(number) || number == 0 { 0 } else { turn(number) });
        }
        let own_passing = passed.filter(|_| !is_imported);
        if own_passing.is_some() {
            declared.function(passing_type);
        }
        let callee = match (passed, own_passing) {
            (None, _) => first,
            (Some(_), Some(_)) => first + functions,
            (Some(_), None) => self.imports,
        };
        if self.start {
            declared.function(passing_type + u32::from(passed.is_some()));
        }
        let table = (self.elements > 0).then(|| self.table(first, functions));
        let mut memories = MemorySection::new();
        let minimum = self.pages().0.into();
        memories.memory(MemoryType { minimum, maximum: None, memory64: false, shared: false, page_size_log2: None });
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0).export(ENTRY, ExportKind::Func, first);
        for number in 0..self.exports {
            exports.export(&name('e', number), ExportKind::Func, first + number % functions);
        }
        let mut code = CodeSection::new();
        for number in 0..functions {
            code.function(&match number {
                0 => idle(0),
                number if self.works(number) => {
                    let further = if number == 1 { self.further_locals() } else { Vec::new() };
                    let bytes = self.code / self.functions.min(self.filled) as usize;
                    self.mix.body(number, bytes, further, Passing { callee, ty: passing_type })
                }
                number => idle(if turn(number) > 0 { self.results } else { 0 }),
            });
        }
        if let Some(values) = own_passing {
            code.function(&passing(values));
        }
        if self.start {
            code.function(&idle(0));
        }
        let mut module = Module::new();
        module.section(&types);
        if first > 0 {
            module.section(&imports);
        }
        module.section(&declared);
        if let Some((tables, _)) = &table {
            module.section(tables);
        }
        module.section(&memories);
        if self.globals > 0 {
            module.section(&self.globals());
        }
        module.section(&exports);
        if self.start {
            module.section(&StartSection { function_index: first + functions + u32::from(own_passing.is_some()) });
        }
        if let Some((_, elements)) = &table {
            module.section(elements);
        }
        module.section(&code);
        if self.data > 0 {
            module.section(&self.data());
        }
        // A table of names of functions is kept with the compiled code.
        module.section(&Self::names(first, functions));
        module.finish()
    }

    fn table(&self, first: u32, functions: u32) -> (TableSection, ElementSection) {
        let mut tables = TableSection::new();
        let minimum = (self.empty + self.elements).into();
        let element_type = RefType::FUNCREF;
        tables.table(TableType { element_type, table64: false, minimum, maximum: None, shared: false });
        let mut elements = ElementSection::new();
        let entries = (0..self.elements).map(|entry| first + entry % functions).collect();
        let offset = ConstExpr::i32_const(self.empty.cast_signed());
        elements.active(None, &offset, Elements::Functions(Cow::Owned(entries)));
        (tables, elements)
    }

    fn further_locals(&self) -> Vec<(u32, ValType)> {
        let types = [ValType::F64, ValType::F32].into_iter().cycle();
        std::iter::once((self.locals, ValType::I64)).chain(types.take(self.groups as usize).map(|ty| (1, ty))).collect()
    }

    fn globals(&self) -> GlobalSection {
        let mut globals = GlobalSection::new();
        for number in 0..self.globals {
            let ty = GlobalType { val_type: ValType::I64, mutable: true, shared: false };
            globals.global(ty, &ConstExpr::i64_const(number.into()));
        }
        globals
    }

    fn names(first: u32, functions: u32) -> NameSection {
        let mut called = NameMap::new();
        (0..functions).for_each(|number| called.append(first + number, &format!("function_{number}")));
        let mut names = NameSection::new();
        names.functions(&called);
        names
    }

    /// A byte at either end, so that the file of a module does not grow with what its data spans, and a page of bytes at most between.
    fn data(&self) -> DataSection {
        let mut data = DataSection::new();
        let mut add = |at: u64, bytes: Vec<u8>| {
            data.active(0, &ConstExpr::i32_const(i32::try_from(at).unwrap_or(i32::MAX)), bytes);
        };
        if self.layers > 0 {
            let bytes = usize::try_from(self.data).unwrap_or(usize::MAX);
            (1..=self.layers).for_each(|layer| add(0, vec![layer.to_le_bytes()[0]; bytes]));
            return data;
        }
        if self.segments > 0 {
            let apart = self.data / u64::from(self.segments);
            (0..self.segments).for_each(|number| add(u64::from(number) * apart, vec![1; 4]));
            return data;
        }
        add(0, vec![1; usize::try_from(self.data.min(WASM_PAGE)).unwrap_or(usize::MAX)]);
        if self.data > WASM_PAGE {
            add(self.data - 1, vec![1]);
        }
        data
    }
}

/// Parameters that no other number has: its binary digits.
fn signature(number: u32) -> Vec<ValType> {
    let number = number + 1;
    let digits = (0..=number.ilog2()).map(|digit| if number >> digit & 1 == 1 { ValType::I32 } else { ValType::F64 });
    digits.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The runtime keeps one of two types that are alike.
    #[test]
    fn no_two_types_are_alike() {
        assert_eq!((0..2000).map(|number| format!("{:?}", signature(number))).collect::<BTreeSet<_>>().len(), 2000);
    }
}
