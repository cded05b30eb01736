//! What validating and compiling a module depends on, read from its bytes.

use std::collections::BTreeSet;

use wasmparser::{ConstExpr, ElementItems, ExternalKind, FunctionBody, Operator, Parser, Payload};

use super::facts::FactsError;
use super::load::declared_levels;
use crate::experiment::Levels;
use crate::experiment::declared::{BRANCH_TARGETS, DATA_SEGMENTS, ESCAPES, INDIRECT_CALLS, INSTRUCTIONS, LOCALS};

/// The levels of a module in the factors of deploying.
///
/// # Errors
/// [`FactsError`] as for [`ModuleFacts::read`](crate::contract::ModuleFacts::read), and for a function body that cannot be read.
pub fn deploy_levels(wasm: &[u8]) -> Result<Levels, FactsError> {
    let mut levels = declared_levels(wasm)?;
    let mut bodies = Bodies::default();
    let mut escaping = BTreeSet::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        escaping.insert(export.index);
                    }
                }
            }
            Payload::ElementSection(segments) => {
                for segment in segments {
                    match segment?.items {
                        ElementItems::Functions(items) => {
                            for item in items {
                                escaping.insert(item?);
                            }
                        }
                        ElementItems::Expressions(_, items) => {
                            for item in items {
                                escaping.extend(function(&item?)?);
                            }
                        }
                    }
                }
            }
            Payload::DataSection(segments) => levels.set(&DATA_SEGMENTS, segments.count().into()),
            Payload::CodeSectionEntry(body) => bodies.add(&body)?,
            _ => {}
        }
    }
    levels.set(&ESCAPES, escaping.len() as u64);
    Ok(levels
        .with(&INSTRUCTIONS, bodies.instructions)
        .with(&INDIRECT_CALLS, bodies.indirect_calls)
        .with(&LOCALS, bodies.locals)
        .with(&BRANCH_TARGETS, bodies.branch_targets))
}

/// What is in all functions together.
#[derive(Default)]
struct Bodies {
    instructions: u64,
    indirect_calls: u64,
    locals: u64,
    branch_targets: u64,
}

impl Bodies {
    fn add(&mut self, body: &FunctionBody<'_>) -> Result<(), FactsError> {
        for locals in body.get_locals_reader()? {
            self.locals = self.locals.saturating_add(locals?.0.into());
        }
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            self.instructions += 1;
            match operators.read()? {
                Operator::BrTable { targets } => self.branch_targets += u64::from(targets.len()),
                Operator::CallIndirect { .. } | Operator::ReturnCallIndirect { .. } => self.indirect_calls += 1,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The function that an expression refers to, if it does.
fn function(expression: &ConstExpr<'_>) -> Result<Option<u32>, FactsError> {
    Ok(match expression.get_operators_reader().read()? {
        Operator::RefFunc { function_index } => Some(function_index),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::declared::{ELEMENTS, EXPORTS, FUNCTIONS};

    #[test]
    fn everything_that_deploying_depends_on_is_counted() {
        let wasm = wat::parse_str(
            r#"(module (memory 1) (table 4 funcref) (export "memory" (memory 0)) (export "f" (func $f)) (export "g" (func $f))
                (elem (i32.const 0) $f $g) (elem (i32.const 2) funcref (ref.func $g) (ref.func $h))
                (func $f (local i32 i64 i64) (call_indirect (i32.const 0))) (func $g (local f32)) (func $h (param i32) (block (block
                    local.get 0 (br_table 0 1 0 1))))
                (data (i32.const 0) "a") (data "passive"))"#,
        )
        .unwrap();
        let levels = deploy_levels(&wasm).unwrap();
        let expected = [
            (&FUNCTIONS, 3),
            (&EXPORTS, 3),
            (&ELEMENTS, 4),
            (&ESCAPES, 3),
            (&LOCALS, 4),
            // The end of each function, two blocks with theirs, and two in between; a call and its index.
            (&INSTRUCTIONS, 3 + 4 + 2 + 2),
            (&INDIRECT_CALLS, 1),
            (&BRANCH_TARGETS, 3),
            (&DATA_SEGMENTS, 2),
        ];
        for (factor, level) in expected {
            assert_eq!(levels.get(factor), level, "{}", factor.name);
        }
        assert!(matches!(deploy_levels(b"<html>"), Err(FactsError::Foreign(_))));
    }
}
