//! Instructions that a compiler writes several machine instructions for, or code to branch over.

use rand::Rng;
use rand::rngs::ChaCha8Rng;
use wasm_encoder::{InstructionSink, MemArg, ValType};

/// Locals of a function that is made of them, beyond its two parameters.
pub(super) const LOCALS: [(u32, ValType); 2] = [(1, ValType::F64), (1, ValType::V128)];

// Behind the two parameters.
const FLOAT: u32 = 2;
const VECTOR: u32 = 3;

const LANES: [u8; 16] = [0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31];

/// Divides so many times.
pub(super) fn divisions(code: &mut InstructionSink<'_>, lots: &mut ChaCha8Rng, times: u32) {
    code.local_get(0);
    for _ in 0..times {
        let draw = lots.next_u32();
        code.local_get(draw & 1);
        match draw >> 2 & 3 {
            0 => code.i32_div_s(),
            1 => code.i32_div_u(),
            2 => code.i32_rem_s(),
            _ => code.i32_rem_u(),
        };
    }
    code.local_set(0);
}

/// Makes a number of a float and takes its bits for the next so many times. Out of range, some trap and some give the nearest.
pub(super) fn truncations(code: &mut InstructionSink<'_>, lots: &mut ChaCha8Rng, times: u32) {
    code.local_get(FLOAT);
    for _ in 0..times {
        match lots.next_u32() % 4 {
            0 => code.i64_trunc_f64_s(),
            1 => code.i64_trunc_f64_u(),
            2 => code.i64_trunc_sat_f64_s(),
            _ => code.i64_trunc_sat_f64_u(),
        };
        code.f64_reinterpret_i64();
    }
    code.local_set(FLOAT);
}

/// Makes a number of a float by the dearest of these for a compiler in one pass, so many times.
pub(super) fn saturating(code: &mut InstructionSink<'_>, times: u32) {
    code.local_get(FLOAT);
    for _ in 0..times {
        code.i64_trunc_sat_f64_u().f64_convert_i64_s();
    }
    code.local_set(FLOAT);
}

/// Makes a float of an unsigned number of 64 bits, and takes its bits for the next, so many times.
pub(super) fn converting(code: &mut InstructionSink<'_>, times: u32) {
    code.local_get(FLOAT);
    for _ in 0..times {
        code.i64_reinterpret_f64().f64_convert_i64_u();
    }
    code.local_set(FLOAT);
}

/// Does so many things within a vector.
pub(super) fn vectors(code: &mut InstructionSink<'_>, lots: &mut ChaCha8Rng, times: u32) {
    code.local_get(VECTOR);
    for _ in 0..times {
        let draw = lots.next_u32();
        match draw % 4 {
            0 => code.i8x16_popcnt(),
            1 => code.i32_const((draw >> 8 & 7).cast_signed()).i8x16_shl(),
            2 => code.i32_const((draw >> 8 & 7).cast_signed()).i8x16_shr_s(),
            _ => code.local_get(VECTOR).i8x16_shuffle(LANES),
        };
    }
    code.local_set(VECTOR);
}

/// Shuffles two vectors so many times: no instruction is longer.
pub(super) fn shuffles(code: &mut InstructionSink<'_>, times: u32) {
    code.local_get(VECTOR);
    for _ in 0..times {
        code.local_get(VECTOR).i8x16_shuffle(LANES);
    }
    code.local_set(VECTOR);
}

/// Reads or writes beyond what any guard behind a memory of 32 bits catches.
pub(super) fn far(code: &mut InstructionSink<'_>, lots: &mut ChaCha8Rng) {
    let draw = lots.next_u32();
    let at = MemArg { offset: u64::from(u32::MAX - (draw & 0xffff)), align: 0, memory_index: 0 };
    match draw >> 16 & 3 {
        0 => code.local_get(1).i32_load(at).local_set(1),
        1 => code.local_get(0).local_get(1).i32_store(at),
        2 => code.local_get(0).i32_load8_u(at).local_set(0),
        _ => code.local_get(1).local_get(0).i32_store16(at),
    };
}
