//! Functions as compilers write them: no two stretches of one are alike.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use wasm_encoder::{BlockType, Function, InstructionSink, MemArg, ValType};

/// Locals of such a function beyond its two parameters, which are `i32` as well.
pub(super) const LOCALS: [(u32, ValType); 2] = [(SCALARS - 2, ValType::I32), (WIDE, ValType::I64)];

/// Locals of type `i32`, the parameters among them.
const SCALARS: u32 = 5;
/// Locals of type `i64`, behind them.
const WIDE: u32 = 1;

/// Ways of writing a statement that come again and again. With so many of them in three statements of four, an instruction is as uncertain after the two
/// or the three before it as 1.8 or 1.6 bits tell (conditional entropy); in those contracts it is 1.7 or 1.4, and with all by lot 2.0 or 1.8.
const IDIOMS: u32 = 16;

/// Blocks that are open at once at most, beside the function's own.
const DEPTH: u32 = 6;

/// Writes statements drawn by lot into a function until it has so many bytes, and closes what it opened.
///
/// Which statement follows which is what a processor guesses as it validates or compiles: a round that repeats is guessed right each time, and made an
/// instruction look a quarter cheaper than one of a real contract. How often each instruction comes is taken from 60 deployed contracts
/// of three chains (see the test).
///
/// `callee` is the index of a function that takes two `i32` and gives nothing. The same `seed` makes the same function.
pub(super) fn write(function: &mut Function, bytes: usize, seed: u32, callee: u32) {
    let end = function.byte_len() + bytes;
    let mut writer = Writer { function, lots: ChaCha8Rng::seed_from_u64(seed.into()), end, depth: 0, callee };
    while writer.room() {
        writer.statement();
    }
}

struct Writer<'a> {
    function: &'a mut Function,
    lots: ChaCha8Rng,
    end: usize,
    depth: u32,
    callee: u32,
}

impl Writer<'_> {
    fn room(&self) -> bool {
        self.function.byte_len() < self.end
    }

    fn code(&mut self) -> InstructionSink<'_> {
        self.function.instructions()
    }

    /// One of so many. A remainder, so that no version of a library changes what is drawn.
    fn one_of(&mut self, count: u32) -> u32 {
        self.lots.next_u32() % count
    }

    fn scalar(&mut self) -> u32 {
        self.one_of(SCALARS)
    }

    fn wide(&mut self) -> u32 {
        SCALARS + self.one_of(WIDE)
    }

    /// A number of any length, short ones as often as long ones.
    fn number(&mut self) -> u32 {
        let length = self.one_of(24);
        self.one_of(2 << length)
    }

    /// A place within the fields of a record.
    fn field(&mut self) -> MemArg {
        let offset = u64::from(self.one_of(40)) * 8;
        MemArg { offset, align: 0, memory_index: 0 }
    }

    /// Leaves an `i32`.
    fn value(&mut self) {
        match self.one_of(20) {
            0..=5 => {
                let of = self.scalar();
                self.code().local_get(of);
            }
            6..=12 => {
                let number = self.number().cast_signed();
                self.code().i32_const(number);
            }
            13..=16 => {
                let (of, field, byte) = (self.scalar(), self.field(), self.one_of(5) == 0);
                let mut code = self.code();
                code.local_get(of);
                if byte {
                    code.i32_load8_u(field)
                } else {
                    code.i32_load(field)
                };
            }
            17 if self.one_of(4) == 0 => {
                let of = self.wide();
                self.code().local_get(of).i32_wrap_i64();
            }
            _ => {
                let (of, number) = (self.scalar(), self.number().cast_signed());
                self.code().local_get(of).i32_const(number).i32_add();
            }
        }
    }

    /// Leaves whether something holds.
    fn condition(&mut self) {
        self.idiom(Self::any_condition);
    }

    fn any_condition(&mut self) {
        self.value();
        match self.one_of(6) {
            0 | 1 => return,
            2 => {
                self.code().i32_eqz();
                return;
            }
            _ => {}
        }
        self.value();
        let kind = self.one_of(6);
        let mut code = self.code();
        match kind {
            0 | 1 => code.i32_eq(),
            2 => code.i32_ne(),
            3 => code.i32_lt_u(),
            4 => code.i32_and(),
            _ => code.i32_gt_s(),
        };
    }

    fn statement(&mut self) {
        match self.one_of(100) {
            0..=24 => self.idiom(Self::sum),
            25..=41 => self.idiom(Self::store),
            42..=58 => self.idiom(Self::call),
            59..=66 => self.idiom(Self::wide_value),
            67..=79 => self.block(false),
            80..=92 => self.branch(),
            93..=95 => self.choice(),
            96 => self.block(true),
            97 => self.guard(),
            98 => self.select(),
            _ => self.switch(),
        }
    }

    /// A statement as it was written before, more often than not: compilers have habits.
    fn idiom(&mut self, write: fn(&mut Self)) {
        if self.one_of(4) == 0 {
            return write(self);
        }
        let known = ChaCha8Rng::seed_from_u64(self.one_of(IDIOMS).into());
        let own = std::mem::replace(&mut self.lots, known);
        write(self);
        self.lots = own;
    }

    fn sum(&mut self) {
        self.value();
        self.value();
        let (kind, into) = (self.one_of(16), self.scalar());
        let mut code = self.code();
        match kind {
            0 => code.i32_sub(),
            1 => code.i32_and(),
            2 => code.i32_or(),
            3 => code.i32_shl(),
            _ => code.i32_add(),
        };
        if kind % 2 == 0 {
            code.local_set(into)
        } else {
            code.local_tee(into).drop()
        };
    }

    fn store(&mut self) {
        let (at, field, byte) = (self.scalar(), self.field(), self.one_of(5) == 0);
        self.code().local_get(at);
        self.value();
        let mut code = self.code();
        if byte {
            code.i32_store8(field)
        } else {
            code.i32_store(field)
        };
    }

    fn call(&mut self) {
        self.value();
        self.value();
        let callee = self.callee;
        self.code().call(callee);
    }

    fn wide_value(&mut self) {
        let (at, field, of) = (self.scalar(), self.field(), self.wide());
        let (kind, number) = (self.one_of(3), i64::from(self.number()));
        let mut code = self.code();
        match kind {
            0 => code.local_get(at).i64_load(field).local_set(of),
            1 => code.local_get(at).local_get(of).i64_store(field),
            _ => code.local_get(of).i64_const(number).i64_or().local_set(of),
        };
    }

    /// Statements in what was opened, some of them, and its end.
    fn inside(&mut self) {
        self.depth += 1;
        for _ in 0..=self.one_of(5) {
            if self.room() {
                self.statement();
            }
        }
        self.depth -= 1;
        self.code().end();
    }

    /// Statements in a block, which a condition leaves, or in a loop, which it begins anew.
    fn block(&mut self, is_loop: bool) {
        if self.depth == DEPTH {
            return self.sum();
        }
        let mut code = self.code();
        if is_loop {
            code.loop_(BlockType::Empty)
        } else {
            code.block(BlockType::Empty)
        };
        self.condition();
        self.code().br_if(0);
        self.inside();
    }

    /// Out of some of the blocks around it.
    fn branch(&mut self) {
        if self.depth == 0 {
            return self.store();
        }
        self.condition();
        let out = self.one_of(self.depth);
        let kind = self.one_of(3);
        let mut code = self.code();
        if kind == 0 {
            code.br_if(out)
        } else {
            code.if_(BlockType::Empty).br(out + 1).end()
        };
    }

    fn choice(&mut self) {
        if self.depth == DEPTH {
            return self.sum();
        }
        self.condition();
        self.code().if_(BlockType::Empty);
        if self.one_of(8) == 0 {
            self.sum();
            self.code().else_();
        }
        self.inside();
    }

    /// What a program does where something is wrong.
    fn guard(&mut self) {
        self.code().block(BlockType::Empty);
        self.condition();
        self.code().br_if(0).unreachable().end();
    }

    fn select(&mut self) {
        self.value();
        self.value();
        self.condition();
        let into = self.scalar();
        self.code().select().local_set(into);
    }

    /// To one of the blocks around it, the rare case among branches.
    fn switch(&mut self) {
        if self.depth == 0 {
            return self.call();
        }
        let labels: Vec<u32> = (0..self.depth).collect();
        self.code().block(BlockType::Empty);
        self.value();
        self.code().br_table(labels, 0).end();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use wasm_encoder::{CodeSection, FunctionSection, MemorySection, MemoryType, Module, TypeSection};
    use wasmparser::{Operator, Parser, Payload};

    use super::*;

    fn module(bytes: usize, seed: u32) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32; 2], []);
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut memories = MemorySection::new();
        let memory = MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None };
        memories.memory(memory);
        let mut function = Function::new(LOCALS);
        write(&mut function, bytes, seed, 0);
        function.instructions().end();
        let mut code = CodeSection::new();
        code.function(&function);
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&memories).section(&code);
        module.finish()
    }

    /// Bits by which an instruction is uncertain after so many before it.
    fn entropy(functions: &[Vec<String>], before: usize) -> f64 {
        let mut after = BTreeMap::<&[String], BTreeMap<&String, f64>>::new();
        for window in functions.iter().flat_map(|function| function.windows(before + 1)) {
            *after.entry(&window[..before]).or_default().entry(&window[before]).or_default() += 1.0;
        }
        let all: f64 = after.values().flat_map(BTreeMap::values).sum();
        let bits = |of: &BTreeMap<&String, f64>| {
            let sum: f64 = of.values().sum();
            of.values().map(|count| -count * (count / sum).log2()).sum::<f64>()
        };
        after.values().map(bits).sum::<f64>() / all
    }

    /// In the contracts of the test below it is 1.7 and 1.4 bits.
    #[test]
    fn what_follows_is_about_as_uncertain_as_in_real_contracts() {
        let function = |seed: u32| {
            let made = module(280, seed);
            let body = Parser::new(0).parse_all(&made).find_map(|payload| match payload.unwrap() {
                Payload::CodeSectionEntry(body) => Some(body),
                _ => None,
            });
            let operators = body.unwrap().get_operators_reader().unwrap().into_iter();
            let name = |operator: Operator<'_>| format!("{operator:?}").split([' ', '{']).next().unwrap().to_owned();
            operators.map(|operator| name(operator.unwrap())).collect::<Vec<_>>()
        };
        let functions: Vec<Vec<String>> = (0..200).map(function).collect();
        let found = [2, 3].map(|before| entropy(&functions, before));
        assert!((found[0] - 1.85).abs() < 0.1 && (found[1] - 1.62).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn every_function_is_valid_has_its_length_and_its_own_instructions() {
        for (seed, bytes) in (0..40).zip([0, 7, 60, 128, 300, 1024, 5000].into_iter().cycle()) {
            let made = module(bytes, seed);
            wasmparser::validate(&made).unwrap();
            assert!((bytes..bytes + 300).contains(&made.len()), "{} for {bytes}", made.len());
            assert_eq!(made, module(bytes, seed));
            assert!(bytes < 60 || made != module(bytes, seed + 1));
        }
    }

    /// Of 100 instructions, in 60 contracts as they were deployed on three chains: 26 `local.get`, 17 constants, 8 additions, 8 loads, 6 stores, 8 `local.set` and
    /// `local.tee`, 5 `end`, 6 branches, 4 calls.
    #[test]
    fn instructions_come_as_often_as_in_real_contracts() {
        let made = module(1 << 18, 1);
        let mut counts = BTreeMap::<&str, u32>::new();
        let mut all = 0.0;
        for payload in Parser::new(0).parse_all(&made) {
            let Payload::CodeSectionEntry(body) = payload.unwrap() else { continue };
            for operator in body.get_operators_reader().unwrap() {
                all += 1.0;
                let kind = match operator.unwrap() {
                    Operator::LocalGet { .. } => "get",
                    Operator::LocalSet { .. } | Operator::LocalTee { .. } => "set",
                    Operator::I32Const { .. } | Operator::I64Const { .. } => "const",
                    Operator::I32Add => "add",
                    Operator::I32Load { .. } | Operator::I32Load8U { .. } | Operator::I64Load { .. } => "load",
                    Operator::I32Store { .. } | Operator::I32Store8 { .. } | Operator::I64Store { .. } => "store",
                    Operator::End => "end",
                    Operator::Br { .. } | Operator::BrIf { .. } | Operator::BrTable { .. } => "branch",
                    Operator::Call { .. } => "call",
                    _ => "other",
                };
                *counts.entry(kind).or_default() += 1;
            }
        }
        let expected = [
            ("get", 26.0),
            ("const", 17.0),
            ("add", 8.0),
            ("load", 8.0),
            ("store", 6.0),
            ("set", 8.0),
            ("end", 5.0),
            ("branch", 6.0),
            ("call", 4.0),
        ];
        for (kind, share) in expected {
            let found = 100.0 * f64::from(counts[kind]) / all;
            assert!((found - share).abs() < 2.0_f64.max(share * 0.2), "{kind}: {found:.1} of 100, {share}: {counts:?}");
        }
        assert!((1.9..2.4).contains(&(f64::from(1 << 18) / all)), "{}", f64::from(1 << 18) / all);
    }
}
