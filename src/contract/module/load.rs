//! What loading a module depends on, read from its bytes.

use std::collections::BTreeMap;

use wasmparser::{Data, DataKind, ElementItems, ElementKind, Parser, Payload};

use super::facts::{FactsError, ModuleFacts, address};
use crate::experiment::Levels;
use crate::experiment::declared::{
    CODE_BYTES, DATA_SPAN, ELEMENTS, EXPORTS, FUNCTIONS, GLOBALS, HAS_DATA, IMPORTS, MODULE_BYTES, NAME_BYTES, TYPES,
};

/// The levels of a module in the factors of loading.
///
/// # Errors
/// [`FactsError`] as for [`ModuleFacts::read`], and for a module whose data is copied into every instance, which no factor charges for.
pub fn load_levels(wasm: &[u8]) -> Result<Levels, FactsError> {
    let (levels, is_placed) = read(wasm)?;
    if is_placed { Ok(levels) } else { Err(FactsError::UnplacedData) }
}

/// The same, wherever its data lies.
///
/// # Errors
/// [`FactsError`] as for [`ModuleFacts::read`].
pub(super) fn declared_levels(wasm: &[u8]) -> Result<Levels, FactsError> {
    read(wasm).map(|(levels, _)| levels)
}

/// The levels, and whether all data lies at constant places.
fn read(wasm: &[u8]) -> Result<(Levels, bool), FactsError> {
    let facts = ModuleFacts::read(wasm)?;
    let mut levels = Levels::default()
        .with(&FUNCTIONS, facts.functions.into())
        .with(&IMPORTS, facts.imports.len() as u64)
        .with(&CODE_BYTES, facts.code_bytes.0);
    let mut names: u64 = facts.imports.iter().map(|import| (import.module.len() + import.name.len()) as u64).sum();
    let (mut tables, mut elsewhere, mut read) = (BTreeMap::new(), 0, wasm.len() as u64);
    let (mut data, mut is_placed) = (BTreeMap::new(), true);
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::TypeSection(groups) => {
                let mut types = 0;
                for group in groups {
                    types += group?.types().len() as u64;
                }
                levels.set(&TYPES, types);
            }
            Payload::GlobalSection(globals) => levels.set(&GLOBALS, globals.count().into()),
            Payload::ExportSection(exports) => {
                levels.set(&EXPORTS, exports.count().into());
                for export in exports {
                    names += export?.name.len() as u64;
                }
            }
            Payload::ElementSection(segments) => {
                for segment in segments {
                    let segment = segment?;
                    let items = u64::from(match segment.items {
                        ElementItems::Functions(items) => items.count(),
                        ElementItems::Expressions(_, items) => items.count(),
                    });
                    match segment.kind {
                        ElementKind::Active { table_index, offset_expr } => {
                            let at = address(&offset_expr)?.unwrap_or_default();
                            let table: &mut Table = tables.entry(table_index.unwrap_or_default()).or_default();
                            table.items += items;
                            table.end = table.end.max(at.saturating_add(items));
                        }
                        ElementKind::Passive | ElementKind::Declared => elsewhere += items,
                    }
                }
            }
            Payload::DataSection(segments) => {
                for segment in segments {
                    let Data { kind: DataKind::Active { memory_index, offset_expr }, data: bytes, .. } = segment?
                    else {
                        continue;
                    };
                    // An empty segment writes nothing, wherever it is.
                    match address(&offset_expr)? {
                        _ if bytes.is_empty() => {}
                        None => is_placed = false,
                        Some(at) => {
                            let end = at.saturating_add(bytes.len() as u64);
                            let (first, last) = data.entry(memory_index).or_insert((at, end));
                            (*first, *last) = ((*first).min(at), (*last).max(end));
                        }
                    }
                }
            }
            Payload::CustomSection(section) => read -= section.range().len() as u64,
            _ => {}
        }
    }
    // The runtime keeps a table from its first entry to the last that a segment fills, with what lies empty in between.
    let elements = tables.values().map(|table| table.items.max(table.end)).fold(elsewhere, u64::saturating_add);
    levels.set(&ELEMENTS, elements);
    levels.set(&NAME_BYTES, names);
    levels.set(&HAS_DATA, u64::from(!data.is_empty() || !is_placed));
    levels.set(&DATA_SPAN, data.values().map(|(first, last)| last - first).fold(0, u64::saturating_add));
    Ok((levels.with(&MODULE_BYTES, read), is_placed))
}

/// What the segments of a table fill.
#[derive(Default)]
struct Table {
    items: u64,
    end: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Factor;

    #[test]
    fn everything_that_loading_depends_on_is_counted() {
        let wasm = wat::parse_str(
            r#"(module (type (func (param i32))) (type (func)) (import "env" "go" (func (type 1)))
                (func $f (type 0)) (func $g (type 1)) (global i32 (i32.const 1)) (table 3 funcref) (memory 2)
                (export "memory" (memory 0)) (export "f" (func $f))
                (elem (i32.const 0) $f $g $f) (elem func $g)
                (data (i32.const 100) "ab") (data (i32.const 70000) "c") (data "passive") (@custom "note" "not read"))"#,
        )
        .unwrap();
        let levels = load_levels(&wasm).unwrap();
        let expected = [
            (&FUNCTIONS, 2),
            (&TYPES, 2),
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
        let twice = "(module (func $f) (memory 1) (table 9 funcref) (table 9 funcref)
            (elem (table 0) (i32.const 2) func $f $f) (elem (table 0) (i32.const 2) func $f) (elem (table 1) (i32.const 5) func $f))";
        assert_eq!(level(twice, &ELEMENTS), 4 + 6);
    }

    #[test]
    fn data_counts_where_it_lies_memory_by_memory_and_not_where_it_is_empty() {
        let two = r#"(module (memory 2) (memory 2) (data (i32.const 9) "") (data (memory 0) (i32.const 100) "ab")
            (data (memory 1) (i32.const 70000) "c") (data (memory 1) (i32.const 0) "d"))"#;
        assert_eq!(level(two, &DATA_SPAN), 2 + 70_001);
        let empty = r#"(module (memory 1) (data (i32.const 9) ""))"#;
        assert_eq!((level(empty, &HAS_DATA), level(empty, &DATA_SPAN)), (0, 0));
    }

    /// The runtime then copies all data into every instance.
    #[test]
    fn data_at_no_constant_place_is_refused() {
        for at in ["(i32.add (i32.const 0) (i32.const 65000))", "(global.get 0)"] {
            let text = format!(r#"(module (import "env" "g" (global i32)) (memory 1) (data (offset {at}) "a"))"#);
            let wasm = wat::parse_str(text).unwrap();
            assert!(matches!(load_levels(&wasm), Err(FactsError::UnplacedData)), "{at}");
            assert_eq!(declared_levels(&wasm).unwrap().get(&HAS_DATA), 1);
        }
    }
}
