//! What validating and compiling a module depends on, read from its bytes.

use std::collections::BTreeSet;

use wasmparser::{
    BlockType, CompositeInnerType, ElementItems, ElementSectionReader, ExternalKind, FunctionBody, Operator, Parser,
    Payload, TypeRef,
};

use super::facts::FactsError;
use super::load::load_levels;
use crate::experiment::Levels;
use crate::experiment::declared::{
    BRANCH_TARGETS, DATA_SEGMENTS, ESCAPES, INDIRECT_CALLS, INSTRUCTIONS, LOCALS, PASSED_VALUES,
};

/// The levels of a module in the factors of deploying.
///
/// # Errors
/// [`FactsError`] as for [`load_levels`], and for a function body that cannot be read.
pub fn deploy_levels(wasm: &[u8]) -> Result<Levels, FactsError> {
    let mut levels = load_levels(wasm)?;
    let mut bodies = Bodies::default();
    let mut escaping = BTreeSet::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::TypeSection(groups) => {
                for group in groups {
                    bodies.types.extend(group?.types().map(|ty| match &ty.composite_type.inner {
                        CompositeInnerType::Func(function) => (function.params().len(), function.results().len()),
                        _ => (0, 0),
                    }));
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    if let TypeRef::Func(ty) | TypeRef::FuncExact(ty) = import?.ty {
                        bodies.functions.push(ty);
                        bodies.defined += 1;
                    }
                }
            }
            Payload::FunctionSection(functions) => {
                for ty in functions {
                    bodies.functions.push(ty?);
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        escaping.insert(export.index);
                    }
                }
            }
            Payload::ElementSection(segments) => escape(segments, &mut escaping)?,
            Payload::DataSection(segments) => levels.set(&DATA_SEGMENTS, segments.count().into()),
            Payload::CodeSectionEntry(body) => bodies.add(&body)?,
            _ => {}
        }
    }
    levels.set(&ESCAPES, escaping.len() as u64);
    Ok(levels
        .with(&INSTRUCTIONS, bodies.instructions)
        .with(&PASSED_VALUES, bodies.passed_values)
        .with(&INDIRECT_CALLS, bodies.indirect_calls)
        .with(&LOCALS, bodies.locals)
        .with(&BRANCH_TARGETS, bodies.branch_targets))
}

/// The functions in segments of indices; those of expressions have been refused.
fn escape(segments: ElementSectionReader<'_>, escaping: &mut BTreeSet<u32>) -> Result<(), FactsError> {
    for segment in segments {
        if let ElementItems::Functions(items) = segment?.items {
            for item in items {
                escaping.insert(item?);
            }
        }
    }
    Ok(())
}

/// What is in all functions together.
#[derive(Default)]
struct Bodies {
    /// Parameters and results of each type.
    types: Vec<(usize, usize)>,
    /// The type of each function, imported ones first.
    functions: Vec<u32>,
    /// The function whose body comes next.
    defined: usize,
    instructions: u64,
    passed_values: u64,
    indirect_calls: u64,
    locals: u64,
    branch_targets: u64,
}

impl Bodies {
    fn add(&mut self, body: &FunctionBody<'_>) -> Result<(), FactsError> {
        let parameters = self.functions.get(self.defined).map_or(0, |&ty| self.of_type(ty).0);
        self.defined += 1;
        self.locals = self.locals.saturating_add(parameters as u64);
        for locals in body.get_locals_reader()? {
            self.locals = self.locals.saturating_add(locals?.0.into());
        }
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            self.instructions += 1;
            self.passed_values = self.passed_values.saturating_add(self.passed(&operator));
            match operator {
                Operator::BrTable { targets } => self.branch_targets += u64::from(targets.len()),
                Operator::CallIndirect { .. } | Operator::ReturnCallIndirect { .. } => self.indirect_calls += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn of_type(&self, ty: u32) -> (usize, usize) {
        self.types.get(ty as usize).copied().unwrap_or_default()
    }

    /// Values that a call or a block takes and gives: an instruction of three bytes moves a thousand.
    fn passed(&self, operator: &Operator<'_>) -> u64 {
        let ty = match operator {
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                self.functions.get(*function_index as usize).copied()
            }
            Operator::CallIndirect { type_index, .. }
            | Operator::ReturnCallIndirect { type_index, .. }
            | Operator::CallRef { type_index }
            | Operator::ReturnCallRef { type_index } => Some(*type_index),
            Operator::Block { blockty } | Operator::Loop { blockty } | Operator::If { blockty } => match blockty {
                BlockType::FuncType(ty) => Some(*ty),
                _ => None,
            },
            _ => None,
        };
        let (parameters, results) = ty.map(|ty| self.of_type(ty)).unwrap_or_default();
        (parameters + results) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::declared::{ELEMENTS, EXPORTS, FUNCTIONS, TYPE_VALUES};

    #[test]
    fn everything_that_deploying_depends_on_is_counted() {
        let wasm = wat::parse_str(
            r#"(module (memory 1) (table 4 funcref) (export "memory" (memory 0)) (export "f" (func $f)) (export "g" (func $f))
                (elem (i32.const 0) $f $g) (elem (i32.const 2) $g $h)
                (func $f (local i32 i64 i64) (call_indirect (i32.const 0))) (func $g (local f32)) (func $h (param i32) (block (block
                    local.get 0 (br_table 0 1 0 1))))
                (data (i32.const 0) "a") (data (i32.const 0) ""))"#,
        )
        .unwrap();
        let levels = deploy_levels(&wasm).unwrap();
        let expected = [
            (&FUNCTIONS, 3),
            (&EXPORTS, 3),
            (&ELEMENTS, 4),
            (&ESCAPES, 3),
            (&LOCALS, 5),
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

    /// A compiler moves each of them.
    #[test]
    fn values_that_calls_and_blocks_take_and_give_are_counted() {
        let many = "i64 ".repeat(100);
        let text = format!(
            "(module (type $t (func (param {many}) (result {many}))) (table 1 funcref) (func $f (type $t) unreachable)
                (func (type $t) unreachable (call $f) (call $f) (call_indirect (type $t)) (block (type $t) unreachable)))"
        );
        let levels = deploy_levels(&wat::parse_str(text).unwrap()).unwrap();
        assert_eq!(levels.get(&PASSED_VALUES), 4 * 200);
        assert_eq!((levels.get(&TYPE_VALUES), levels.get(&LOCALS)), (200, 200));
    }
}
