//! What a module makes a runtime do that no factor counts.

use wasmparser::{
    CompositeInnerType, ConstExpr, DataKind, ElementItems, ElementKind, Operator, Payload, RefType, TableInit, TypeRef,
};

use super::facts::{FactsError, MemoryKind, ModuleFacts, Unpriced, address};

/// Entries up to which Wasmtime lays out a table (`MAX_FUNC_TABLE_SIZE`).
const LAID_OUT: u64 = 1 << 20;

/// Custom sections, of which toolchains make some five.
const CUSTOM_MAX: u32 = 64;
/// Bytes that data may span however sparse it is (`Config::memory_guaranteed_dense_image_size`).
const ALWAYS_LAID_OUT: u64 = 16 << 20;

/// Looks for it, section by section, beside what the facts say already.
pub(super) struct Search<'a> {
    facts: &'a ModuleFacts,
    found: Option<Unpriced>,
    /// Entries of the table at first; `None` if it is imported, not of functions, or there is none.
    table: Option<u64>,
    tables: u32,
    custom: u32,
}

impl<'a> Search<'a> {
    pub(super) fn new(facts: &'a ModuleFacts) -> Self {
        let mut search = Self { facts, found: None, table: None, tables: 0, custom: 0 };
        search.note(facts.memories > 1, Unpriced::Memories);
        search.note(facts.memory64, Unpriced::Memory64);
        search.note(facts.data.passive_segments > 0, Unpriced::PassiveData);
        search
    }

    /// What was found first.
    pub(super) fn end(self) -> Option<Unpriced> {
        let ModuleFacts { data, data_bytes, .. } = self.facts;
        let span = data.start.zip(data.end).map_or(0, |(start, end)| end - start);
        // Exactly half is too little for Wasmtime (`ModuleTranslation::try_static_init`).
        let is_sparse = span >= ALWAYS_LAID_OUT && data_bytes.0.saturating_mul(2) <= span;
        self.found.or(is_sparse.then_some(Unpriced::SparseData))
    }

    fn note(&mut self, is_so: bool, what: Unpriced) {
        if is_so && self.found.is_none() {
            self.found = Some(what);
        }
    }

    pub(super) fn section(&mut self, payload: &Payload<'_>) -> Result<(), FactsError> {
        match payload {
            Payload::TypeSection(groups) => {
                for group in groups.clone() {
                    for ty in group?.types() {
                        let is_function = matches!(ty.composite_type.inner, CompositeInnerType::Func(_));
                        self.note(!is_function, Unpriced::Type);
                        self.note(!ty.is_final || ty.supertype_idx.is_some(), Unpriced::Subtype);
                    }
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    match import?.ty {
                        TypeRef::Table(_) => self.tables += 1,
                        TypeRef::Tag(_) => self.note(true, Unpriced::Tag),
                        _ => {}
                    }
                }
                self.note(self.tables > 1, Unpriced::Tables);
            }
            Payload::TableSection(tables) => {
                for table in tables.clone() {
                    let table = table?;
                    self.tables += 1;
                    self.note(!matches!(table.init, TableInit::RefNull), Unpriced::FilledTable);
                    self.table = (table.ty.element_type == RefType::FUNCREF).then_some(table.ty.initial);
                }
                self.note(self.tables > 1, Unpriced::Tables);
            }
            Payload::TagSection(_) => self.note(true, Unpriced::Tag),
            Payload::GlobalSection(globals) => {
                for global in globals.clone() {
                    let is_constant = is_constant(&mut global?.init_expr.get_operators_reader())?;
                    self.note(!is_constant, Unpriced::Global);
                }
            }
            Payload::ElementSection(segments) => {
                for segment in segments.clone() {
                    let segment = segment?;
                    let is_placed = match (&segment.kind, &segment.items) {
                        (ElementKind::Active { offset_expr, .. }, ElementItems::Functions(items)) => {
                            ends_within(offset_expr, items.count().into(), self.table.map(|size| size.min(LAID_OUT)))?
                        }
                        _ => false,
                    };
                    self.note(!is_placed, Unpriced::Elements);
                }
            }
            Payload::DataSection(segments) => {
                let is_own = self.facts.memory == MemoryKind::Defined;
                let size = self.facts.initial_pages.filter(|_| is_own).map(|pages| pages.bytes().0);
                for segment in segments.clone() {
                    // An empty segment too: where it lies is looked at before its length.
                    let segment = segment?;
                    if let DataKind::Active { offset_expr, .. } = &segment.kind {
                        let is_placed = ends_within(offset_expr, segment.data.len() as u64, size)?;
                        self.note(!is_placed, Unpriced::UnplacedData);
                    }
                }
            }
            Payload::CustomSection(_) => {
                self.custom += 1;
                self.note(self.custom > CUSTOM_MAX, Unpriced::CustomSections);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether a segment lies at a constant place and ends within what is there at first.
fn ends_within(offset: &ConstExpr<'_>, length: u64, size: Option<u64>) -> Result<bool, FactsError> {
    let end = address(offset)?.and_then(|at| at.checked_add(length));
    Ok(end.zip(size).is_some_and(|(end, size)| end <= size))
}

/// Whether an expression is one constant.
fn is_constant(operators: &mut wasmparser::OperatorsReader<'_>) -> Result<bool, FactsError> {
    let first = operators.read()?;
    let is_one = matches!(
        first,
        Operator::I32Const { .. }
            | Operator::I64Const { .. }
            | Operator::F32Const { .. }
            | Operator::F64Const { .. }
            | Operator::V128Const { .. }
    );
    Ok(is_one && matches!(operators.read()?, Operator::End))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{deploy_levels, load_levels};
    use crate::experiment::Factor;
    use crate::experiment::declared::{
        BRANCH_TARGETS, CALLS, DATA_SEGMENTS, DATA_SPAN, ELEMENTS, ESCAPE_VALUES, ESCAPES, EXPORTS, FUNCTIONS, GLOBALS,
        HEAVY_INSTRUCTIONS, INDIRECT_CALLS, INSTRUCTIONS, LOCAL_GROUPS, LOCALS, PASSED_VALUES, RUNTIME_CALLS,
        TYPE_VALUES, TYPES,
    };

    fn refused(text: &str) -> Option<Unpriced> {
        let wasm = wat::parse_str(text).unwrap();
        let of = |read: fn(&[u8]) -> Result<_, FactsError>| match read(&wasm) {
            Ok(_) => None,
            Err(FactsError::Unpriced(what)) => Some(what),
            Err(other) => panic!("{text}: {other}"),
        };
        let found = of(load_levels);
        assert_eq!(found, of(deploy_levels), "{text}");
        found
    }

    /// Modules of some tens of bytes would have a load, a call or a compiler do seconds of work for the fee of a base.
    #[test]
    fn what_a_runtime_does_by_code_of_its_own_is_refused() {
        let cases = [
            ("(func $f) (table 1048576 funcref (ref.func $f))", Unpriced::FilledTable),
            ("(table 1 funcref) (table 1 funcref)", Unpriced::Tables),
            ("(memory 0) (memory 0)", Unpriced::Memories),
            ("(memory i64 1)", Unpriced::Memory64),
            ("(func $f) (table 9 funcref) (elem func $f)", Unpriced::Elements),
            ("(func $f) (elem declare func $f)", Unpriced::Elements),
            ("(func $f) (table 9 funcref) (elem (i32.const 0) funcref (ref.func $f))", Unpriced::Elements),
            ("(func $f) (table 1 funcref) (elem (i32.const 1) $f)", Unpriced::Elements),
            ("(func $f) (table 2000000 funcref) (elem (i32.const 1048576) $f)", Unpriced::Elements),
            ("(import \"env\" \"t\" (table 9 funcref)) (func $f) (elem (i32.const 0) $f)", Unpriced::Elements),
            ("(memory 1) (data \"passive\")", Unpriced::PassiveData),
            ("(global i32 (i32.add (i32.const 1) (i32.const 2)))", Unpriced::Global),
            ("(func $f) (global funcref (ref.func $f))", Unpriced::Global),
            ("(type (struct))", Unpriced::Type),
            ("(tag)", Unpriced::Tag),
        ];
        for (text, what) in cases {
            assert_eq!(refused(&format!("(module {text})")), Some(what), "{text}");
        }
    }

    /// One segment of no bytes at no constant place has the runtime copy all others into every instance.
    #[test]
    fn data_that_is_no_part_of_the_first_image_is_refused_and_be_it_empty() {
        for at in ["(i32.add (i32.const 0) (i32.const 65000))", "(global.get 0)", "(i32.const 65537)"] {
            for bytes in ["", "a"] {
                let text = format!(
                    r#"(module (import "env" "g" (global i32)) (memory 1) (data (i32.const 0) "x") (data (offset {at}) "{bytes}"))"#
                );
                assert_eq!(refused(&text), Some(Unpriced::UnplacedData), "{at}");
            }
        }
        let imported = r#"(module (import "env" "m" (memory 1)) (data (i32.const 0) "x"))"#;
        assert_eq!(refused(imported), Some(Unpriced::UnplacedData));
        let apart =
            |last: u32| format!(r#"(module (memory 512) (data (i32.const 0) "x") (data (i32.const {last}) "x"))"#);
        assert_eq!(refused(&apart((16 << 20) - 2)), None);
        assert_eq!(refused(&apart((16 << 20) - 1)), Some(Unpriced::SparseData));
    }

    /// A module that is half of data would have it copied into every instance.
    #[test]
    fn data_that_fills_half_of_its_span_is_sparse() {
        let filling = |bytes: usize| {
            let text = format!(
                r#"(module (memory 512) (data (i32.const 0) "{}") (data (i32.const {}) "x"))"#,
                "x".repeat(bytes - 1),
                (16 << 20) - 1
            );
            refused(&text)
        };
        assert_eq!([filling(8 << 20), filling((8 << 20) + 1)], [Some(Unpriced::SparseData), None]);
    }

    /// Whatever a module has a thousand times counts a thousand times in a factor that says it, or the module is refused.
    #[test]
    fn nothing_is_free() {
        let values = "i64 ".repeat(100);
        let carrying = |code: &str| format!("(func (type 1) unreachable {code})");
        let counted: [(&str, &Factor, u64); 37] = [
            ("(type (func (param i64)))", &TYPES, 1),
            ("(type (func (param i64 i64) (result i64)))", &TYPE_VALUES, 3),
            ("(rec)", &TYPES, 1),
            ("(func)", &FUNCTIONS, 1),
            ("(func (local f64) i32.const 1 drop)", &INSTRUCTIONS, 3),
            ("(func (local f64))", &LOCALS, 1),
            ("(func (local f64))", &LOCAL_GROUPS, 1),
            ("(func (local f64) (local i32))", &LOCAL_GROUPS, 2),
            ("(func (local v128))", &LOCALS, 4),
            ("(func (type 1) unreachable)", &PASSED_VALUES, 300),
            (&carrying("return"), &PASSED_VALUES, 300 + 100),
            (&carrying("br 0"), &PASSED_VALUES, 300 + 100),
            (&carrying("br_if 0"), &PASSED_VALUES, 300 + 201),
            (&carrying("br_table 0 0 0"), &PASSED_VALUES, 300 + 303),
            (&carrying("br_table 0 0 0"), &BRANCH_TARGETS, 2),
            (&carrying("(block (type 1) unreachable)"), &PASSED_VALUES, 300 + 200),
            ("(func (call_indirect (i32.const 0)))", &INDIRECT_CALLS, 1),
            ("(func (call 0))", &CALLS, 1),
            ("(func (drop (i32.trunc_sat_f32_u (f32.const 0))))", &HEAVY_INSTRUCTIONS, 1),
            ("(func (drop (f64.convert_i64_u (i64.const 0))))", &HEAVY_INSTRUCTIONS, 1),
            ("(func (drop (f64.convert_i64_s (i64.const 0))))", &HEAVY_INSTRUCTIONS, 0),
            ("(func (drop (i64.rem_u (i64.const 1) (i64.const 1))))", &HEAVY_INSTRUCTIONS, 1),
            ("(func (drop (i32x4.splat (i32.const 0))))", &HEAVY_INSTRUCTIONS, 1),
            ("(func (drop (i64.load offset=33554426 (i32.const 0))))", &HEAVY_INSTRUCTIONS, 1),
            ("(func (drop (i64.load offset=33554425 (i32.const 0))))", &HEAVY_INSTRUCTIONS, 0),
            ("(func (drop (ref.func 0)))", &RUNTIME_CALLS, 1),
            ("(func (param v128))", &LOCALS, 4),
            ("(func (table.copy (i32.const 0) (i32.const 0) (i32.const 0)))", &RUNTIME_CALLS, 1),
            ("(func (memory.fill (i32.const 0) (i32.const 0) (i32.const 0)))", &RUNTIME_CALLS, 1),
            ("(func (drop (memory.grow (i32.const 0))))", &RUNTIME_CALLS, 1),
            ("(func (export \"e$\") (type 1) unreachable)", &ESCAPE_VALUES, 100),
            ("(func (export \"e$\") (type 1) unreachable)", &ESCAPES, 1),
            ("(global i32 (i32.const 0))", &GLOBALS, 1),
            ("(export \"e$\" (func 0))", &EXPORTS, 1),
            ("(elem (i32.const 0) func)", &ELEMENTS, 1),
            ("(data (i32.const 0) \"\")", &DATA_SEGMENTS, 1),
            // They lie over each other.
            ("(data (i32.const 0) \"abcde\")", &DATA_SPAN, 5),
        ];
        let text = |item: &str, times: usize| {
            let items: String = (0..times).map(|number| item.replace('$', &number.to_string())).collect();
            format!(
                "(module (type (func)) (type (func (result {values}))) (func (type 0)) (table 9 funcref) (memory 1)
                    (export \"f\" (func 0)) {items})"
            )
        };
        let levels = |item: &str, times: usize| deploy_levels(&wat::parse_str(text(item, times)).unwrap());
        for (item, factor, each) in counted {
            let [few, many] = [2, 1000].map(|times| levels(item, times).unwrap().get(factor));
            assert_eq!(many - few, 998 * each, "{item}: {}", factor.name);
        }
        for item in ["(elem (i32.const 0) func 0)", "(data (i32.const $) \"a\")"] {
            let [few, many] = [2, 1000].map(|times| levels(item, times).unwrap());
            let grown = [&ELEMENTS, &DATA_SPAN].map(|factor| many.get(factor) - few.get(factor));
            assert!(grown.contains(&998), "{item}");
        }
        for item in
            ["(data \"\")", "(table 1 funcref)", "(memory 0)", "(tag)", "(@custom \"a\" \"\")", "(type (sub (func)))"]
        {
            assert!(levels(item, 1000).is_err(), "{item}");
        }
    }

    #[test]
    fn what_toolchains_make_is_counted() {
        let usual = r#"(module (import "env" "f" (func)) (func $f) (table 3 4 funcref) (memory 17) (global (mut i32) (i32.const 1))
            (global f64 (f64.const 1)) (export "memory" (memory 0)) (elem (i32.const 1) $f $f) (data (i32.const 1048576) "abc"))"#;
        assert_eq!(refused(usual), None);
    }
}
