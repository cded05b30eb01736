//! What loading a module depends on, read from its bytes.

use wasmparser::{ConstExpr, DataKind, ElementItems, Operator, Parser, Payload};

use super::facts::{FactsError, ModuleFacts};
use crate::experiment::Levels;
use crate::experiment::declared::{
    CODE_BYTES, DATA_SPAN, ELEMENTS, EXPORTS, FUNCTIONS, GLOBALS, HAS_DATA, IMPORTS, MODULE_BYTES, NAME_BYTES, TYPES,
};

/// The levels of a module in the factors of loading.
///
/// # Errors
/// [`FactsError`] as for [`ModuleFacts::read`].
pub fn load_levels(wasm: &[u8]) -> Result<Levels, FactsError> {
    let facts = ModuleFacts::read(wasm)?;
    let mut levels = Levels::default()
        .with(&FUNCTIONS, facts.functions.into())
        .with(&IMPORTS, facts.imports.len() as u64)
        .with(&CODE_BYTES, facts.code_bytes.0)
        .with(&HAS_DATA, u64::from(facts.data_segments > facts.data.passive_segments));
    let mut names: u64 = facts.imports.iter().map(|import| (import.module.len() + import.name.len()) as u64).sum();
    let (mut elements, mut read) = (0, wasm.len() as u64);
    let (mut start, mut end) = (u64::MAX, 0);
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
                    elements += u64::from(match segment?.items {
                        ElementItems::Functions(items) => items.count(),
                        ElementItems::Expressions(_, items) => items.count(),
                    });
                }
            }
            Payload::DataSection(segments) => {
                for segment in segments {
                    let segment = segment?;
                    if let DataKind::Active { offset_expr, .. } = segment.kind {
                        // What lies at no constant place is not in the image of the memory.
                        let Some(at) = constant(&offset_expr)? else { continue };
                        start = start.min(at);
                        end = end.max(at.saturating_add(segment.data.len() as u64));
                    }
                }
            }
            Payload::CustomSection(section) => read -= section.range().len() as u64,
            _ => {}
        }
    }
    levels.set(&ELEMENTS, elements);
    levels.set(&NAME_BYTES, names);
    levels.set(&DATA_SPAN, end.saturating_sub(start));
    Ok(levels.with(&MODULE_BYTES, read))
}

fn constant(expression: &ConstExpr<'_>) -> Result<Option<u64>, FactsError> {
    Ok(match expression.get_operators_reader().read()? {
        Operator::I32Const { value } => Some(value.cast_unsigned().into()),
        Operator::I64Const { value } => Some(value.cast_unsigned()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
