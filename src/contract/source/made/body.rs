//! Function bodies: what instructions a module is made of.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use wasm_encoder::{BlockType, Function, InstructionSink, MemArg, ValType};

use super::{heavy, usual};

/// What the instructions of a function do. All of them take two `i32` and give nothing.
///
/// Where there is a choice it is drawn by lot: a processor guesses what follows in a round that repeats, sometimes and not always.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mix {
    /// They read, add and keep.
    Sums,
    /// They read, compare, branch, call, add and write, as compiled programs do; so a function of each number is another.
    Usual,
    /// They have operands as long as can be.
    Wide,
    /// They have none: a byte each.
    Dense,
    /// They divide, each of which may trap.
    Divisions,
    /// They do what takes a compiler several instructions or a check: divisions, vectors and numbers made of floats, four
    /// at a time, and far accesses, one, by lot.
    Heavy,
    /// They make numbers of floats, the nearest where there is none.
    Saturating,
    /// They make floats of unsigned numbers of 64 bits.
    Converting,
    /// They shift and count within vectors, and shuffle them.
    Vectors,
    /// They only shuffle them.
    Shuffles,
    /// They read and write so far that their place is checked each time.
    Far,
    /// They call through the table, each of which may trap in three ways.
    Indirect,
    /// They have the runtime copy, fill and grow tables and memories.
    Runtime,
    /// They have it copy entries of a table, which takes most of that.
    TableCopies,
    /// They multiply locals, so many of which are alive from the first to the last of them that no registers are left, over as many values that
    /// wait on the stack.
    Live,
    /// They branch over so many targets, each a place of its own, as often as the code has room for.
    Switches(u32),
    /// They begin a block and leave it by a table of one target.
    Leaving,
    /// They call a function that takes and gives so many values, one after the other.
    Passing(u32),
    /// They call an imported function that takes and gives nothing.
    Importing,
    /// They call a function that takes and gives nothing over the locals and values of [`Live`](Self::Live).
    Waiting,
    /// They branch, or not, out of a block that gives so many values.
    Carrying(u32),
    /// They begin and end blocks over the same.
    Blocks,
    /// They begin blocks within each other, and end them all.
    Nested,
}

/// What a body calls and what its blocks are of.
#[derive(Clone, Copy)]
pub(super) struct Passing {
    /// The index of a function of the body's type, or of one that [passes](passing) values.
    pub callee: u32,
    /// The index of the type of a function that passes values, where there is one.
    pub ty: u32,
}

impl Mix {
    /// How many values it passes at once, if that is what it does.
    pub(super) const fn passed(self) -> Option<u32> {
        match self {
            Self::Passing(values) | Self::Carrying(values) => Some(values),
            Self::Importing | Self::Waiting => Some(0),
            _ => None,
        }
    }

    /// The function of a number, of about so many bytes, which has these groups of locals beside those that it uses.
    pub(super) fn body(
        self,
        number: u32,
        bytes: usize,
        further: Vec<(u32, ValType)>,
        Passing { callee, ty }: Passing,
    ) -> Function {
        /// Of one round of sums, about.
        const SUM: usize = 10;
        let is_crowded = matches!(self, Self::Live | Self::Blocks | Self::Waiting);
        let (live, waiting) = if is_crowded { (LIVE_LOCALS, WAITING_VALUES) } else { (0, 0) };
        let own: &[_] = match self {
            Self::Usual => &usual::LOCALS,
            Self::Heavy | Self::Saturating | Self::Converting | Self::Vectors | Self::Shuffles | Self::Far => {
                &heavy::LOCALS
            }
            _ => &[(live, ValType::I64)],
        };
        let kinds = own.iter().copied().chain(further).filter(|(count, _)| *count > 0);
        let mut function = Function::new(kinds.collect::<Vec<_>>());
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
        if let Self::Usual = self {
            usual::write(&mut function, bytes, number, callee);
        }
        let passed = self.passed().unwrap_or_default();
        for _ in 0..passed {
            function.instructions().i64_const(1);
        }
        if let Self::Carrying(_) = self {
            function.instructions().block(BlockType::FunctionType(ty));
        }
        for value in 0..waiting {
            function.instructions().local_get(0).i32_load(at(u64::from(value) * 4 + 128));
        }
        let mut lots = ChaCha8Rng::seed_from_u64(number.into());
        while goes_on(round, function.byte_len() - begin) {
            self.round(&mut function.instructions(), round, &mut lots, callee);
            round += 1;
        }
        let mut code = function.instructions();
        if let Self::Carrying(_) = self {
            code.end();
        }
        if let Self::Nested = self {
            (0..round).for_each(|_| _ = code.end());
        }
        for _ in 0..passed {
            code.drop();
        }
        for _ in 0..waiting {
            code.local_get(1).i32_add().local_set(1);
        }
        for local in 0..live {
            code.local_get(1).local_get(FIRST_LOCAL + local).i32_wrap_i64().i32_add().local_set(1);
        }
        code.local_get(0).local_get(1).i32_store(at(0)).end();
        function
    }

    fn round(self, code: &mut InstructionSink<'_>, round: u32, lots: &mut ChaCha8Rng, callee: u32) {
        let place = at(u64::from(round % 4000) * 4 + 128);
        match self {
            Self::Sums => {
                code.local_get(0).i32_load(place).local_get(1).i32_add().local_set(1);
            }
            // Written as a whole.
            Self::Usual => {}
            Self::Passing(_) | Self::Importing | Self::Waiting => {
                code.call(callee);
            }
            Self::Carrying(_) => {
                code.local_get(0).br_if(0);
            }
            Self::Blocks => {
                code.block(BlockType::Empty).end();
            }
            Self::Nested => {
                code.block(BlockType::Empty);
            }
            Self::Heavy => match lots.next_u32() % 4 {
                0 => heavy::truncations(code, lots, 4),
                1 => heavy::vectors(code, lots, 4),
                2 => heavy::divisions(code, lots, 4),
                _ => heavy::far(code, lots),
            },
            Self::Saturating => heavy::saturating(code, 16),
            Self::Converting => heavy::converting(code, 16),
            Self::Vectors => heavy::vectors(code, lots, 16),
            Self::Shuffles => heavy::shuffles(code, 16),
            Self::Far => heavy::far(code, lots),
            Self::Wide => {
                code.i64_const(i64::MIN + i64::from(round)).drop();
            }
            Self::Dense => {
                code.local_get(1);
                for _ in 0..256 {
                    match lots.next_u32() % 6 {
                        0 => code.i32_clz(),
                        1 => code.i32_popcnt(),
                        2 => code.i32_ctz(),
                        3 => code.i32_eqz(),
                        4 => code.i32_extend8_s(),
                        _ => code.i32_extend16_s(),
                    };
                }
                code.local_set(1);
            }
            Self::Divisions => heavy::divisions(code, lots, 16),
            Self::Indirect => {
                let draw = lots.next_u32();
                code.local_get(draw & 1);
                if draw & 2 == 0 {
                    code.local_get(1)
                } else {
                    code.i32_const((draw >> 8).cast_signed())
                };
                code.local_get(draw >> 2 & 1);
                if draw & 8 == 0 {
                    code.i32_const(7).i32_and();
                }
                code.call_indirect(0, 0);
            }
            Self::Runtime => {
                code.i32_const(0);
                match lots.next_u32() % 5 {
                    0 => code.memory_grow(0).drop(),
                    1 => code.local_get(0).i32_const(0).memory_copy(0, 0),
                    2 => code.local_get(1).i32_const(0).memory_fill(0),
                    3 => code.local_get(0).i32_const(0).table_copy(0, 0),
                    _ => code.table_get(0).drop(),
                };
            }
            Self::TableCopies => {
                code.i32_const(0).i32_const(0).i32_const(0).table_copy(0, 0);
            }
            Self::Live => {
                // Neighbours by steps that share no divisor with their number, so that each is read late after it is written.
                let local = |step: u32| FIRST_LOCAL + (round.wrapping_mul(step) + step) % LIVE_LOCALS;
                code.local_get(local(7)).local_get(local(11)).i64_mul().local_set(local(13));
            }
            Self::Leaving => {
                code.block(BlockType::Empty).local_get(0).br_table([0], 0).end();
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

/// Locals that are alive at once, of which no two steps of a round share a divisor with their number.
const LIVE_LOCALS: u32 = 499;

/// Values that wait on the stack meanwhile.
const WAITING_VALUES: u32 = 256;

/// The first local beyond the parameters.
const FIRST_LOCAL: u32 = 2;

fn at(offset: u64) -> MemArg {
    MemArg { offset, align: 2, memory_index: 0 }
}

/// A function that gives so many values as it takes them.
pub(super) fn passing(values: u32) -> Function {
    let mut function = Function::new([]);
    for value in 0..values {
        function.instructions().local_get(value);
    }
    function.instructions().end();
    function
}

/// A function that does nothing but give its results.
pub(super) fn idle(results: u32) -> Function {
    let mut function = Function::new([]);
    match results {
        0 => {}
        1 => _ = function.instructions().i64_const(0),
        // Whatever is asked for behind it.
        _ => _ = function.instructions().unreachable(),
    }
    function.instructions().end();
    function
}
