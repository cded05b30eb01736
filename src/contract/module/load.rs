//! What loading a module depends on, read from its bytes.

use wasmparser::{CompositeInnerType, ElementItems, ElementKind, ElementSectionReader, Parser, Payload, SubType};

use super::facts::{FactsError, ModuleFacts, address};
use super::unpriced::Search;
use crate::experiment::Levels;
use crate::experiment::declared::{
    CODE_BYTES, DATA_SPAN, ELEMENTS, EXPORTS, FUNCTIONS, GLOBALS, HAS_DATA, IMPORTS, MODULE_BYTES, NAME_BYTES,
    TYPE_VALUES, TYPES,
};

/// The levels of a module in the factors of loading.
///
/// # Errors
/// [`FactsError`] as for [`ModuleFacts::read`], and for a module that has a runtime do what no factor counts.
pub fn load_levels(wasm: &[u8]) -> Result<Levels, FactsError> {
    let facts = ModuleFacts::read(wasm)?;
    let mut levels = Levels::default()
        .with(&FUNCTIONS, facts.functions.into())
        .with(&IMPORTS, facts.imports.len() as u64)
        .with(&CODE_BYTES, facts.code_bytes.0);
    let mut names: u64 = facts.imports.iter().map(|import| (import.module.len() + import.name.len()) as u64).sum();
    let (mut unpriced, mut read) = (Search::new(&facts), wasm.len() as u64);
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        unpriced.section(&payload)?;
        match payload {
            Payload::TypeSection(groups) => {
                let (mut types, mut values) = (0, 0);
                for group in groups {
                    let group = group?;
                    // A group of none is a group all the same.
                    types += (group.types().len() as u64).max(1);
                    values += group.types().map(values_of).sum::<u64>();
                }
                levels.set(&TYPES, types);
                levels.set(&TYPE_VALUES, values);
            }
            Payload::GlobalSection(globals) => levels.set(&GLOBALS, globals.count().into()),
            Payload::ExportSection(exports) => {
                levels.set(&EXPORTS, exports.count().into());
                for export in exports {
                    names += export?.name.len() as u64;
                }
            }
            Payload::ElementSection(segments) => levels.set(&ELEMENTS, elements(segments)?),
            Payload::CustomSection(section) => read -= section.range().len() as u64,
            _ => {}
        }
    }
    levels.set(&NAME_BYTES, names);
    // One memory, whose data lies at constant places.
    levels.set(&HAS_DATA, facts.data.start.is_some().into());
    let span = facts.data.start.zip(facts.data.end).map_or(0, |(start, end)| end - start);
    levels.set(&DATA_SPAN, span.max(facts.data_bytes.0));
    match unpriced.end() {
        None => Ok(levels.with(&MODULE_BYTES, read)),
        Some(what) => Err(FactsError::Unpriced(what)),
    }
}

/// Parameters and results of a type.
fn values_of(ty: &SubType) -> u64 {
    match &ty.composite_type.inner {
        CompositeInnerType::Func(function) => (function.params().len() + function.results().len()) as u64,
        _ => 0,
    }
}

/// Entries of the table up to the last that a segment fills, since the runtime keeps what lies empty in between; or those of all segments, a segment of
/// none as one, if they are more.
fn elements(segments: ElementSectionReader<'_>) -> Result<u64, FactsError> {
    let (mut all, mut last) = (0, 0);
    for segment in segments {
        let segment = segment?;
        let items = u64::from(match segment.items {
            ElementItems::Functions(items) => items.count(),
            ElementItems::Expressions(_, items) => items.count(),
        });
        all += items.max(1);
        if let ElementKind::Active { offset_expr, .. } = segment.kind {
            let at = address(&offset_expr)?.unwrap_or_default();
            last = at.saturating_add(items).max(last);
        }
    }
    Ok(all.max(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Factor;

    #[test]
    fn everything_that_loading_depends_on_is_counted() {
        let wasm = wat::parse_str(
            r#"(module (type (func (param i32) (result i64 i64))) (type (func)) (rec) (import "env" "go" (func (type 1)))
                (func $f (type 0) unreachable) (func $g (type 1)) (global i32 (i32.const 1)) (table 3 funcref) (memory 2)
                (export "memory" (memory 0)) (export "f" (func $f))
                (elem (i32.const 0) $f $g $f) (elem (i32.const 1) func)
                (data (i32.const 100) "ab") (data (i32.const 70000) "c") (@custom "note" "not read"))"#,
        )
        .unwrap();
        let levels = load_levels(&wasm).unwrap();
        let expected = [
            (&FUNCTIONS, 2),
            (&TYPES, 3),
            (&TYPE_VALUES, 3),
            (&GLOBALS, 1),
            (&IMPORTS, 1),
            (&EXPORTS, 2),
            (&ELEMENTS, 4),
            (&NAME_BYTES, 5 + 7),
            (&HAS_DATA, 1),
            (&DATA_SPAN, 70_001 - 100),
        ];
        for (factor, level) in expected {
            assert_eq!(levels.get(factor), level, "{}", factor.name);
        }
        assert!(levels.get(&CODE_BYTES) > 4 && levels.get(&MODULE_BYTES) < wasm.len() as u64 - 8);
        assert!(matches!(load_levels(b"<html>"), Err(FactsError::Foreign(_))));
    }

    fn level(text: &str, factor: &Factor) -> u64 {
        load_levels(&wat::parse_str(text).unwrap()).unwrap().get(factor)
    }

    /// A module of fifty bytes would else load a million entries for the fee of one.
    #[test]
    fn empty_entries_of_a_table_count_up_to_the_last_that_is_filled() {
        let sparse = "(module (func $f) (memory 1) (table 1048576 funcref) (elem (i32.const 1048575) $f))";
        assert_eq!(level(sparse, &ELEMENTS), 1 << 20);
        let twice = "(module (func $f) (table 9 funcref)
            (elem (i32.const 2) func $f $f) (elem (i32.const 2) func $f) (elem (i32.const 5) func) (elem (i32.const 5) func))";
        assert_eq!(level(twice, &ELEMENTS), 5);
    }

    #[test]
    fn data_counts_where_it_lies_and_not_where_it_is_empty() {
        let text =
            r#"(module (memory 2) (data (i32.const 9) "") (data (i32.const 70000) "c") (data (i32.const 100) "ab"))"#;
        assert_eq!(level(text, &DATA_SPAN), 70_001 - 100);
        let empty = r#"(module (memory 1) (data (i32.const 9) ""))"#;
        assert_eq!((level(empty, &HAS_DATA), level(empty, &DATA_SPAN)), (0, 0));
        let over =
            r#"(module (memory 1) (data (i32.const 0) "abc") (data (i32.const 1) "abc") (data (i32.const 0) "abc"))"#;
        assert_eq!(level(over, &DATA_SPAN), 9);
    }
}
