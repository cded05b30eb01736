//! What validating and compiling a module depends on, read from its bytes.

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::{
    ElementItems, ElementSectionReader, ExternalKind, FuncToValidate, FuncValidatorAllocations, FunctionBody, Operator,
    Parser, Payload, ValType, ValidPayload, Validator, ValidatorResources, WasmFeatures,
};

use super::facts::FactsError;
use super::load::load_levels;
use crate::experiment::Levels;
use crate::experiment::declared::{
    BRANCH_TARGETS, CALLS, DATA_SEGMENTS, ESCAPE_VALUES, ESCAPES, FUNCTION_INSTRUCTIONS, HAS_DATA, HAS_STARTUP,
    HEAVY_INSTRUCTIONS, INDIRECT_CALLS, INSTRUCTIONS, LOCAL_GROUPS, LOCALS, PASSED_VALUES, RUNTIME_CALLS, STACK_HEIGHT,
    USED_LOCALS,
};

/// The levels of a module in the factors of deploying.
///
/// # Errors
/// [`FactsError`] as for [`load_levels`], and for a module that is not valid.
pub fn deploy_levels(wasm: &[u8]) -> Result<Levels, FactsError> {
    let mut levels = load_levels(wasm)?;
    levels.set(&HAS_STARTUP, levels.get(&HAS_DATA));
    let mut bodies = Bodies::default();
    let mut escaping = BTreeSet::new();
    let mut validator = Validator::new_with_features(WasmFeatures::all());
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        if let ValidPayload::Func(function, body) = validator.payload(&payload)? {
            bodies.add(function, &body)?;
        }
        match payload {
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        escaping.insert(export.index);
                    }
                }
            }
            Payload::ElementSection(segments) => escape(segments, &mut escaping)?,
            Payload::StartSection { .. } => levels.set(&HAS_STARTUP, 1),
            Payload::DataSection(segments) => levels.set(&DATA_SEGMENTS, segments.count().into()),
            _ => {}
        }
    }
    let through = escaping.iter().filter_map(|function| bodies.signatures.get(function)).sum::<u64>();
    levels.set(&ESCAPES, escaping.len() as u64);
    Ok(levels
        .with(&INSTRUCTIONS, bodies.instructions)
        .with(&ESCAPE_VALUES, through)
        .with(&HEAVY_INSTRUCTIONS, bodies.heavy_instructions)
        .with(&PASSED_VALUES, bodies.passed_values)
        .with(&CALLS, bodies.calls)
        .with(&INDIRECT_CALLS, bodies.indirect_calls)
        .with(&RUNTIME_CALLS, bodies.runtime_calls)
        .with(&LOCALS, bodies.locals)
        .with(&LOCAL_GROUPS, bodies.local_groups)
        .with(&BRANCH_TARGETS, bodies.branch_targets)
        .with(&FUNCTION_INSTRUCTIONS, bodies.most_instructions)
        .with(&USED_LOCALS, bodies.most_used_locals)
        .with(&STACK_HEIGHT, bodies.most_height))
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

/// What is in all functions together, and in the one that has most of it.
#[derive(Default)]
struct Bodies {
    /// Parameters and results of each function defined, by its index.
    signatures: BTreeMap<u32, u64>,
    instructions: u64,
    heavy_instructions: u64,
    passed_values: u64,
    calls: u64,
    indirect_calls: u64,
    runtime_calls: u64,
    locals: u64,
    local_groups: u64,
    branch_targets: u64,
    most_instructions: u64,
    most_used_locals: u64,
    most_height: u64,
    allocations: FuncValidatorAllocations,
}

impl Bodies {
    fn add(&mut self, function: FuncToValidate<ValidatorResources>, body: &FunctionBody<'_>) -> Result<(), FactsError> {
        let mut validator = function.into_validator(std::mem::take(&mut self.allocations));
        let results = Operator::Return.operator_arity(&validator).unwrap_or_default().0;
        // Before those that the body declares.
        let signature = u64::from(validator.len_locals()) + u64::from(results);
        self.signatures.insert(validator.index(), signature);
        self.passed_values = self.passed_values.saturating_add(signature);
        let is_vector = |local: &u32| validator.get_local_type(*local) == Some(ValType::V128);
        let vectors = (0..validator.len_locals()).filter(is_vector).count() as u64;
        self.locals = self.locals.saturating_add(vectors * VECTOR);
        validator.read_locals(&mut body.get_binary_reader())?;
        self.locals = self.locals.saturating_add(validator.len_locals().into());
        for group in body.get_locals_reader()? {
            let (count, ty) = group?;
            self.local_groups += 1;
            if ty == ValType::V128 {
                self.locals = self.locals.saturating_add(u64::from(count) * VECTOR);
            }
        }
        let (mut used, mut instructions) = (BTreeSet::new(), 0);
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let (operator, offset) = operators.read_with_offset()?;
            instructions += 1;
            self.heavy_instructions += u64::from(is_heavy(&operator, body.as_bytes()[offset - body.range().start]));
            // Behind its last end no label is left to ask for, and what stands there is refused below.
            let arity = (validator.control_stack_height() > 0).then(|| operator.operator_arity(&validator)).flatten();
            self.passed_values = self.passed_values.saturating_add(passed(&operator, arity.unwrap_or_default()));
            match &operator {
                Operator::BrTable { targets } => self.branch_targets += u64::from(targets.len()),
                Operator::Call { .. } | Operator::ReturnCall { .. } => self.calls += 1,
                Operator::CallIndirect { .. } | Operator::ReturnCallIndirect { .. } => self.indirect_calls += 1,
                Operator::MemoryCopy { .. }
                | Operator::MemoryFill { .. }
                | Operator::MemoryGrow { .. }
                | Operator::MemoryInit { .. }
                | Operator::DataDrop { .. }
                | Operator::TableCopy { .. }
                | Operator::TableFill { .. }
                | Operator::TableGrow { .. }
                | Operator::TableInit { .. }
                | Operator::TableGet { .. }
                | Operator::TableSet { .. }
                | Operator::RefFunc { .. }
                | Operator::ElemDrop { .. } => self.runtime_calls += 1,
                Operator::LocalGet { local_index }
                | Operator::LocalSet { local_index }
                | Operator::LocalTee { local_index } => _ = used.insert(*local_index),
                _ => {}
            }
            validator.op(offset, &operator)?;
            self.most_height = self.most_height.max(validator.operand_stack_height().into());
        }
        operators.finish()?;
        self.instructions += instructions;
        self.most_instructions = self.most_instructions.max(instructions);
        self.most_used_locals = self.most_used_locals.max(used.len() as u64);
        self.allocations = validator.into_allocations();
        Ok(())
    }
}

/// Values that an instruction takes and gives whose number is in no opcode: one of three bytes moves a thousand.
fn passed(operator: &Operator<'_>, (takes, gives): (u32, u32)) -> u64 {
    let values = u64::from(takes) + u64::from(gives);
    match operator {
        // Each target takes them again.
        Operator::BrTable { targets } => values.saturating_mul(u64::from(targets.len()) + 1),
        Operator::Block { .. }
        | Operator::Loop { .. }
        | Operator::If { .. }
        | Operator::Else
        | Operator::End
        | Operator::Br { .. }
        | Operator::BrIf { .. }
        | Operator::Return
        | Operator::Call { .. }
        | Operator::CallIndirect { .. }
        | Operator::CallRef { .. }
        | Operator::ReturnCall { .. }
        | Operator::ReturnCallIndirect { .. }
        | Operator::ReturnCallRef { .. } => values,
        // Of the rest those that carry values to a label, and none beside them has more than three.
        _ => values.saturating_sub(ORDINARY),
    }
}

/// Whether a compiler writes several instructions for it, or a check. Those of vectors have an opcode in common.
fn is_heavy(operator: &Operator<'_>, opcode: u8) -> bool {
    const VECTORS: u8 = 0xfd;
    match operator {
        Operator::I32Load { memarg }
        | Operator::I64Load { memarg }
        | Operator::F32Load { memarg }
        | Operator::F64Load { memarg }
        | Operator::I32Load8S { memarg }
        | Operator::I32Load8U { memarg }
        | Operator::I32Load16S { memarg }
        | Operator::I32Load16U { memarg }
        | Operator::I64Load8S { memarg }
        | Operator::I64Load8U { memarg }
        | Operator::I64Load16S { memarg }
        | Operator::I64Load16U { memarg }
        | Operator::I64Load32S { memarg }
        | Operator::I64Load32U { memarg }
        | Operator::I32Store { memarg }
        | Operator::I64Store { memarg }
        | Operator::F32Store { memarg }
        | Operator::F64Store { memarg }
        | Operator::I32Store8 { memarg }
        | Operator::I32Store16 { memarg }
        | Operator::I64Store8 { memarg }
        | Operator::I64Store16 { memarg }
        | Operator::I64Store32 { memarg } => memarg.offset > UNCHECKED,
        Operator::I32DivS
        | Operator::I32DivU
        | Operator::I32RemS
        | Operator::I32RemU
        | Operator::I64DivS
        | Operator::I64DivU
        | Operator::I64RemS
        | Operator::I64RemU
        | Operator::I32TruncF32S
        | Operator::I32TruncF32U
        | Operator::I32TruncF64S
        | Operator::I32TruncF64U
        | Operator::I32TruncSatF32S
        | Operator::I32TruncSatF32U
        | Operator::I32TruncSatF64S
        | Operator::I32TruncSatF64U
        | Operator::I64TruncF32S
        | Operator::I64TruncF32U
        | Operator::I64TruncF64S
        | Operator::I64TruncF64U
        | Operator::I64TruncSatF32S
        | Operator::I64TruncSatF32U
        | Operator::I64TruncSatF64S
        | Operator::I64TruncSatF64U
        | Operator::F32ConvertI64U
        | Operator::F64ConvertI64U => true,
        _ => opcode == VECTORS,
    }
}

/// The last offset at which no access is checked: even the widest, of eight bytes, ends within the guard behind a memory
/// (`Config::memory_guard_size` of Wasmtime), where it traps by itself.
const UNCHECKED: u64 = (32 << 20) - 7;

/// What a local of a vector counts as beside itself: 30,000 of them took Winch 2.6 times as long as as many others are charged.
const VECTOR: u64 = 3;

/// Most values that an instruction takes and gives whose number is in its opcode (`i64.add128`).
const ORDINARY: u64 = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::declared::{ELEMENTS, EXPORTS, FUNCTIONS};

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
            (&LOCAL_GROUPS, 3),
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
    fn values_that_calls_blocks_and_branches_take_and_give_are_counted() {
        let many = "i64 ".repeat(100);
        let with = |declared: &str, body: &str| {
            let text = format!(
                "(module (type $t (func (param {many}) (result {many}))) (type $of (func (result {many}))) (table 1 funcref)
                    (func $f (type $t) unreachable) {declared} (func (local i32) unreachable {body} unreachable))"
            );
            let levels = deploy_levels(&wat::parse_str(text).unwrap()).unwrap();
            [&PASSED_VALUES, &ESCAPE_VALUES].map(|factor| levels.get(factor))
        };
        let [least, none] = with("", "");
        assert_eq!(none, 0);
        let more = |declared: &str, body: &str| with(declared, body)[0] - least;
        // Those of the function, and of its end, which takes and gives what it returns.
        assert_eq!(least, 200 + 200);
        assert_eq!(more("(func (type $t) unreachable)", ""), 400);
        assert_eq!(with("(export \"f\" (func $f)) (elem (i32.const 0) $f)", ""), [least, 200]);
        assert_eq!(more("", "call $f call $f"), 2 * 200);
        assert_eq!(more("", "(call_indirect (type $t))"), 201);
        // Its beginning, and its end.
        let block = more("", "(block (type $t) unreachable)");
        assert_eq!(block, 200 + 200);
        assert_eq!(more("", "(if (type $t) (then unreachable) (else unreachable))"), block + 200 + 1);
        let of = more("", "(block (type $of) unreachable)");
        assert_eq!(more("", "(block (type $of) unreachable br 0)"), of + 100);
        assert_eq!(more("", "(block (type $of) unreachable br_if 0)"), of + 201);
        assert_eq!(more("", "(block (type $of) unreachable br_table 0 0 0)"), of + 3 * 101);
        assert_eq!(more("", "(loop (type $t) unreachable br 0)"), more("", "(loop (type $t) unreachable)") + 100);
        let giving = |code: &str| more(&format!("(func (result {many}) unreachable {code})"), "");
        assert_eq!([giving("return"), giving("return_call $f")], [giving("") + 100; 2]);
        // Others have as many as their opcode says.
        assert_eq!(more("", "local.get 0 local.get 0 i32.add drop"), 0);
    }

    /// Wasmtime compiles a startup function for either.
    #[test]
    fn data_and_a_start_function_are_told() {
        let has = |text: &str| deploy_levels(&wat::parse_str(text).unwrap()).unwrap().get(&HAS_STARTUP);
        assert_eq!(has("(module (memory 1) (func))"), 0);
        assert_eq!(has("(module (memory 1) (func $f) (start $f))"), 1);
        assert_eq!(has("(module (memory 1) (func $f) (start $f) (data (i32.const 0) \"a\"))"), 1);
        assert_eq!(has("(module (memory 1) (func) (data (i32.const 0) \"a\"))"), 1);
    }

    #[test]
    fn what_the_largest_function_holds_is_told() {
        let text = "(module (func (param i32 i32) (local i32 i64)
                local.get 0 local.get 1 local.get 1 local.get 1 drop drop drop drop)
            (func (local i32 i32 i32) local.get 0 local.set 1 i32.const 1 local.tee 2 drop))";
        let levels = deploy_levels(&wat::parse_str(text).unwrap()).unwrap();
        assert_eq!(levels.get(&FUNCTION_INSTRUCTIONS), 9);
        assert_eq!((levels.get(&USED_LOCALS), levels.get(&STACK_HEIGHT)), (3, 4));
    }
}
