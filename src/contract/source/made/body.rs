//! Function bodies: what instructions a module is made of.

use wasm_encoder::{BlockType, Function, InstructionSink, MemArg, ValType};

/// What the instructions of a function do. All of them take two `i32` and give nothing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mix {
    /// They read, add and keep.
    Sums,
    /// They read, compare, branch, call, add and write, as compiled programs do.
    Usual,
    /// They have operands as long as can be.
    Wide,
    /// They have none: a byte each.
    Dense,
    /// They divide, each of which may trap.
    Divisions,
    /// They call through the table, each of which may trap in three ways.
    Indirect,
    /// They multiply locals, so many of which are alive from the first to the last of them that no registers are left.
    Live(u32),
    /// They branch over so many targets, each a place of its own, as often as the code has room for.
    Switches(u32),
}

impl Mix {
    /// A function of about so many bytes, which has so many locals beside those that it uses. `entry` is the index of a function of its type.
    pub(super) fn body(self, bytes: usize, locals: u32, entry: u32) -> Function {
        /// Of one round of sums, about.
        const SUM: usize = 10;
        let live = if let Self::Live(live) = self { live } else { 0 };
        let kinds = [(live, ValType::I64), (locals, ValType::F32)];
        let mut function = Function::new(kinds.into_iter().filter(|(count, _)| *count > 0).collect::<Vec<_>>());
        let begin = function.byte_len();
        let mut round: u32 = 0;
        for local in 0..live {
            function.instructions().local_get(0).i64_extend_i32_u().i64_const(i64::from(local) | 1).i64_mul();
            function.instructions().local_set(FIRST_LOCAL + local);
        }
        let goes_on = |round: u32, length: usize| match self {
            Self::Sums => (round as usize) < bytes / SUM,
            _ => length < bytes,
        };
        while goes_on(round, function.byte_len() - begin) {
            self.round(&mut function.instructions(), round, entry);
            round += 1;
        }
        let mut code = function.instructions();
        for local in 0..live {
            code.local_get(1).local_get(FIRST_LOCAL + local).i32_wrap_i64().i32_add().local_set(1);
        }
        code.local_get(0).local_get(1).i32_store(at(0)).end();
        function
    }

    fn round(self, code: &mut InstructionSink<'_>, round: u32, entry: u32) {
        let place = at(u64::from(round % 4000) * 4 + 128);
        match self {
            Self::Sums => {
                code.local_get(0).i32_load(place).local_get(1).i32_add().local_set(1);
            }
            Self::Usual => {
                code.block(BlockType::Empty).local_get(0).i32_load(place).local_tee(1).i32_eqz().br_if(0);
                code.local_get(0).local_get(1).i32_const(16).i32_add().i32_store(place);
                code.local_get(1).i32_const(7).i32_and().if_(BlockType::Empty);
                code.local_get(0).local_get(1).call(entry).else_();
                code.local_get(0).i64_load(place).i64_const(3).i64_shl().i32_wrap_i64().local_set(1);
                code.local_get(0).local_get(1).call(entry).end();
                code.local_get(0).local_get(1).i32_const(2).i32_shl().i32_xor().local_set(0).end();
            }
            Self::Wide => {
                code.i64_const(i64::MIN + i64::from(round)).drop();
            }
            Self::Dense => {
                code.local_get(1);
                for _ in 0..64 {
                    code.i32_clz().i32_popcnt().i32_ctz().i32_eqz();
                }
                code.local_set(1);
            }
            Self::Divisions => {
                code.local_get(0).local_get(1).i32_div_s().local_set(0);
                code.local_get(1).local_get(0).i32_rem_u().local_set(1);
            }
            Self::Indirect => {
                code.local_get(0).local_get(1).local_get(0).call_indirect(0, 0);
            }
            Self::Live(live) => {
                // Neighbours by steps that share no divisor with their number, so that each is read late after it is written.
                let local = |step: u32| FIRST_LOCAL + (round.wrapping_mul(step) + step) % live;
                code.local_get(local(7)).local_get(local(11)).i64_mul().local_set(local(13));
            }
            Self::Switches(targets) => {
                for _ in 0..=targets {
                    code.block(BlockType::Empty);
                }
                let labels: Vec<u32> = (0..targets).collect();
                code.local_get(0).br_table(labels, targets);
                for target in 0..=targets {
                    code.end().local_get(1).i32_const(i32::try_from(target).unwrap_or(0)).i32_add().local_set(1);
                }
            }
        }
    }
}

/// The first local beyond the parameters.
const FIRST_LOCAL: u32 = 2;

fn at(offset: u64) -> MemArg {
    MemArg { offset, align: 2, memory_index: 0 }
}

/// A function that does nothing but give its result, if it has one.
pub(super) fn idle(result: bool) -> Function {
    let mut function = Function::new([]);
    if result {
        function.instructions().i64_const(0);
    }
    function.instructions().end();
    function
}
