//! Carries a data segment of `DATA_BYTES`, a number in the environment of the compiler, and touches memory as
//! `touch-memory` does.

#![no_std]
#![no_main]

use core::arch::wasm32::{memory_grow, memory_size, unreachable};
use core::ptr::with_exposed_provenance_mut;

const WASM_PAGE: usize = 64 * 1024;
const HOST_PAGE: usize = 4096;

/// Where in its host page each byte is written: not at 0, since address 0 is the null pointer, which Rust may not write.
const OFFSET: usize = 8;

/// Not zero, or the linker would leave the bytes out; in use, or it would leave out the whole.
#[used]
static DATA: [u8; DATA_BYTES] = [0xA5; DATA_BYTES];

const DATA_BYTES: usize = parse(env!("DATA_BYTES"));

const fn parse(digits: &str) -> usize {
    match usize::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("DATA_BYTES must be a whole number"),
    }
}

/// Touches the bytes from `start`, a multiple of the host page, up to `start + length`, growing the memory if it must.
///
/// It keeps nothing on the stack, which lies in the range, and traps if the memory cannot grow.
#[unsafe(no_mangle)]
pub extern "C" fn touch(start: usize, length: usize) {
    let end = start + length;
    let missing = end.div_ceil(WASM_PAGE).saturating_sub(memory_size(0));
    if missing > 0 && memory_grow(0, missing) == usize::MAX {
        unreachable();
    }
    for page in (start..end).step_by(HOST_PAGE) {
        let byte = with_exposed_provenance_mut::<u8>(page + OFFSET);
        // SAFETY: the byte lies in the memory, and nothing in this module reads it. Volatile, or the compiler could
        // drop writes that nothing reads.
        unsafe { byte.write_volatile(1) };
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unreachable()
}
