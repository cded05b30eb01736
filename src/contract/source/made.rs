//! Modules made for the load experiment: one factor at a time around one that has a little of everything; and mixed ones.

use std::borrow::Cow;

use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function,
    FunctionSection, GlobalSection, GlobalType, ImportSection, MemArg, MemorySection, MemoryType, Module, RefType,
    TableSection, TableType, TypeSection, ValType,
};

use crate::contract::error::ContractError;
use crate::contract::factors::{Limits, Variant};
use crate::contract::module::artifact::{Artifact, Provenance};
use crate::contract::module::check;
use crate::experiment::load::{CONTRACT, MIXED};
use crate::units::{Bytes, Pages, WASM_PAGE};

/// What a module declares beyond the least: a type, a function and a memory, the last two exported.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    functions: u32,
    types: u32,
    globals: u32,
    imports: u32,
    exports: u32,
    /// Entries of the table.
    elements: u32,
    /// Length of each further import's and export's name, where that is more than its number needs.
    name: usize,
    /// Bytes of code, in functions that do some work.
    code: usize,
    /// Bytes that active data spans.
    data: u64,
}

/// The export that a contract must have. A module that is loaded is not called.
const ENTRY: &str = "touch";

/// Every module that the chain's limits allow.
///
/// # Errors
/// None that a limit could cause; what is found at fault in a module is passed on.
pub fn made(limits: Limits) -> Result<Vec<Artifact>, ContractError> {
    let alone = alone().into_iter().map(|(name, shape)| (CONTRACT, name, shape));
    let mixed = (1..).zip(MIXES).map(|(number, shape)| (MIXED, format!("mix{number}"), shape));
    let allowed = alone.chain(mixed).filter(|(_, _, shape)| shape.pages() <= limits.initial_pages_max);
    allowed.map(|(contract, name, shape)| shape.artifact(contract, name, limits)).collect()
}

/// A little of everything, as the smallest contracts have.
const CENTRE: Shape = Shape {
    functions: 16,
    types: 4,
    globals: 2,
    imports: 4,
    exports: 4,
    elements: 4,
    name: 10,
    code: 2 << 10,
    data: 1 << 10,
};

/// The least, a little of everything, and that with four levels of each factor.
///
/// With cold caches the first of a kind costs microseconds that no further one does, since what reads it has to come into the caches. Every real
/// contract has some of each kind, and so has every module here but the least.
fn alone() -> Vec<(String, Shape)> {
    let named = Shape { imports: 8, exports: 8, ..CENTRE };
    let worked = Shape { functions: FILLED, ..CENTRE };
    let mut shapes = vec![("least".to_owned(), Shape::default()), ("centre".to_owned(), CENTRE)];
    shapes.push(("data0".to_owned(), Shape { data: 0, ..CENTRE }));
    let mut add = |name: &str, levels: [u32; 4], shape: &dyn Fn(u32) -> Shape| {
        shapes.extend(levels.map(|level| (format!("{name}{level}"), shape(level))));
    };
    add("functions", [64, 512, 2048, 8192], &|functions| Shape { functions, ..CENTRE });
    add("types", [16, 128, 1024, 4096], &|types| Shape { types, ..CENTRE });
    add("globals", [64, 512, 4096, 16_384], &|globals| Shape { globals, ..CENTRE });
    add("imports", [16, 64, 256, 1024], &|imports| Shape { imports, ..CENTRE });
    add("exports", [32, 256, 2048, 8192], &|exports| Shape { exports, ..CENTRE });
    add("elements", [64, 512, 2048, 4096], &|elements| Shape { elements, functions: elements, ..CENTRE });
    add("names", [64, 512, 2048, 8192], &|name| Shape { name: name as usize, ..named });
    add("code", [16 << 10, 64 << 10, 256 << 10, 512 << 10], &|code| Shape { code: code as usize, ..worked });
    add("data", [16 << 10, 256 << 10, 1 << 20, 4 << 20], &|span| Shape { data: span.into(), ..CENTRE });
    shapes
}

/// From one like a token to one like an exchange.
const MIXES: [Shape; 8] = [
    Shape {
        functions: 40,
        types: 12,
        globals: 3,
        imports: 8,
        exports: 10,
        elements: 2,
        name: 12,
        code: 6 << 10,
        data: 3 << 10,
    },
    Shape {
        functions: 90,
        types: 15,
        globals: 3,
        imports: 20,
        exports: 16,
        elements: 10,
        name: 14,
        code: 20 << 10,
        data: 2 << 10,
    },
    Shape {
        functions: 150,
        types: 20,
        globals: 3,
        imports: 25,
        exports: 30,
        elements: 30,
        name: 16,
        code: 60 << 10,
        data: 20 << 10,
    },
    Shape {
        functions: 320,
        types: 25,
        globals: 3,
        imports: 15,
        exports: 14,
        elements: 90,
        name: 12,
        code: 150 << 10,
        data: 30 << 10,
    },
    Shape {
        functions: 700,
        types: 32,
        globals: 3,
        imports: 30,
        exports: 60,
        elements: 150,
        name: 20,
        code: 250 << 10,
        data: 40 << 10,
    },
    Shape {
        functions: 1000,
        types: 30,
        globals: 4,
        imports: 45,
        exports: 90,
        elements: 250,
        name: 24,
        code: 400 << 10,
        data: 60 << 10,
    },
    Shape {
        functions: 1500,
        types: 60,
        globals: 120,
        imports: 60,
        exports: 200,
        elements: 800,
        name: 32,
        code: 500 << 10,
        data: 200 << 10,
    },
    Shape {
        functions: 200,
        types: 100,
        globals: 800,
        imports: 10,
        exports: 20,
        elements: 100,
        name: 40,
        code: 0,
        data: 1 << 20,
    },
];

/// Functions that code is in at most.
const FILLED: u32 = 64;

impl Shape {
    /// As many as the data needs.
    fn pages(&self) -> Pages {
        Bytes(self.data.max(1)).pages_up().unwrap_or(Pages(u32::MAX))
    }

    /// Whether a function is one of those that the code is in.
    fn works(&self, number: u32) -> bool {
        self.code > 0 && (1..=FILLED).contains(&number)
    }

    fn artifact(&self, contract: &str, name: String, limits: Limits) -> Result<Artifact, ContractError> {
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
            types.ty().function(signature(number), [ValType::I64]);
        }
        // Imports and functions take the types by turns, and exports and elements the functions: the runtime then finds another one each
        // time, as in real contracts.
        let turn = |number: u32| if self.types > 0 { 1 + number % self.types } else { 0 };
        let mut imports = ImportSection::new();
        for number in 0..self.imports {
            imports.import("env", &name('i', number), EntityType::Function(turn(number)));
        }
        let (first, functions) = (self.imports, self.functions + 1);
        let mut declared = FunctionSection::new();
        for number in 0..functions {
            declared.function(if self.works(number) || number == 0 { 0 } else { turn(number) });
        }
        let mut tables = TableSection::new();
        let mut elements = ElementSection::new();
        if self.elements > 0 {
            let minimum = self.elements.into();
            let element_type = RefType::FUNCREF;
            tables.table(TableType { element_type, table64: false, minimum, maximum: None, shared: false });
            let entries = (0..self.elements).map(|entry| first + entry % functions).collect();
            elements.active(None, &ConstExpr::i32_const(0), Elements::Functions(Cow::Owned(entries)));
        }
        let mut memories = MemorySection::new();
        let minimum = self.pages().0.into();
        memories.memory(MemoryType { minimum, maximum: None, memory64: false, shared: false, page_size_log2: None });
        let mut globals = GlobalSection::new();
        for number in 0..self.globals {
            let ty = GlobalType { val_type: ValType::I64, mutable: true, shared: false };
            globals.global(ty, &ConstExpr::i64_const(number.into()));
        }
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0).export(ENTRY, ExportKind::Func, first);
        for number in 0..self.exports {
            exports.export(&name('e', number), ExportKind::Func, first + number % functions);
        }
        let mut code = CodeSection::new();
        for number in 0..functions {
            code.function(&match number {
                0 => idle(false),
                number if self.works(number) => working(self.code / self.functions.min(FILLED) as usize),
                number => idle(turn(number) > 0),
            });
        }
        let mut module = Module::new();
        module.section(&types);
        if self.imports > 0 {
            module.section(&imports);
        }
        module.section(&declared);
        if self.elements > 0 {
            module.section(&tables);
        }
        module.section(&memories);
        if self.globals > 0 {
            module.section(&globals);
        }
        module.section(&exports);
        if self.elements > 0 {
            module.section(&elements);
        }
        module.section(&code);
        if self.data > 0 {
            module.section(&self.data());
        }
        module.finish()
    }

    /// A byte at either end, so that the file of a module does not grow with what its data spans, and a page of bytes at most between.
    fn data(&self) -> DataSection {
        let mut data = DataSection::new();
        let length = usize::try_from(self.data.min(WASM_PAGE)).unwrap_or(usize::MAX);
        data.active(0, &ConstExpr::i32_const(0), vec![1; length]);
        if self.data > WASM_PAGE {
            let last = i32::try_from(self.data - 1).unwrap_or(i32::MAX);
            data.active(0, &ConstExpr::i32_const(last), [1]);
        }
        data
    }
}

/// Parameters that no other number has: its binary digits below a leading one.
fn signature(number: u32) -> Vec<ValType> {
    let number = number + 1;
    let digits = (0..=number.ilog2()).map(|digit| if number >> digit & 1 == 1 { ValType::I32 } else { ValType::F64 });
    digits.collect()
}

/// A function that does nothing but give its result, if it has one.
fn idle(result: bool) -> Function {
    let mut function = Function::new([]);
    if result {
        function.instructions().i64_const(0);
    }
    function.instructions().end();
    function
}

/// A function of about so many bytes that reads, adds and writes, so that a compiler leaves nothing out.
fn working(bytes: usize) -> Function {
    /// Of one round of it, about.
    const ROUND: usize = 10;
    let mut function = Function::new([]);
    let mut code = function.instructions();
    for round in 0..bytes / ROUND {
        let offset = u64::try_from(round % 4000).unwrap_or_default() * 4 + 128;
        let place = MemArg { offset, align: 2, memory_index: 0 };
        code.local_get(0).i32_load(place).local_get(1).i32_add().local_set(1);
    }
    code.local_get(0).local_get(1).i32_store(MemArg { offset: 0, align: 2, memory_index: 0 }).end();
    function
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::contract::load_levels;
    use crate::experiment::load::{ELEMENTS, FUNCTIONS, TYPES};
    use crate::experiment::{Factor, LOAD, Levels};

    fn levels(limits: Limits) -> Vec<(String, Levels)> {
        let made = made(limits).unwrap();
        made.iter()
            .map(|made| (format!("{}/{}", made.contract, made.variant), load_levels(&made.wasm).unwrap()))
            .collect()
    }

    const LIMITS: Limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };

    #[test]
    fn every_factor_has_four_levels_beyond_the_least_and_every_module_its_own() {
        let levels = levels(LIMITS);
        assert_eq!(levels.iter().map(|(_, levels)| levels).collect::<BTreeSet<_>>().len(), levels.len());
        let own = levels.iter().filter(|(name, _)| !name.starts_with(MIXED));
        let of = |factor: &Factor| own.clone().map(|(_, levels)| levels.get(factor)).collect::<BTreeSet<_>>().len();
        for term in LOAD.terms {
            let crate::experiment::Column::Level(factor) = term.column else { panic!("{}", term.name) };
            assert!(of(factor) >= if term.name == "load_data" { 2 } else { 5 }, "{}", term.name);
        }
    }

    #[test]
    fn a_module_has_what_its_name_says() {
        let levels = levels(LIMITS);
        let of = |name: &str, factor: &Factor| {
            levels.iter().find(|(other, _)| other == name).map(|(_, levels)| levels.get(factor))
        };
        assert_eq!(of("load/types128", &TYPES), Some(129));
        assert_eq!(of("load/functions512", &FUNCTIONS), Some(513));
        assert_eq!(of("load/elements64", &ELEMENTS), Some(64));
    }

    /// The runtime keeps one of two types that are alike.
    #[test]
    fn no_two_types_are_alike() {
        assert_eq!((0..2000).map(|number| format!("{:?}", signature(number))).collect::<BTreeSet<_>>().len(), 2000);
    }

    #[test]
    fn memories_that_the_chain_forbids_are_left_out() {
        let limits = Limits { initial_pages_max: Pages(16), pages_max: Pages(16) };
        assert!(levels(limits).len() + 1 == levels(LIMITS).len());
    }
}
