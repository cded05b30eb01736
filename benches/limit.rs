//! How far `recycle-adaptive` is from what the machine can do: the whole call cycle against a plain loop that touches and wipes the
//! same bytes with the best instruction, in turn, with caches cold before each. Prints medians and their ratio.
#![expect(unsafe_code, reason = "the plain loop writes memory past the caches")]

use std::error::Error;
use std::num::NonZeroUsize;

use estimator::measure::{HostMachine, Machine, WriteWidth, cycle, thresholds};
use estimator::runtime::{ContractCode, MemoryLimit, NodeSettings, Runtime, WasmtimeRuntime, find};
use estimator::units::{Bytes, HOST_PAGE, Pages};
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous};

const ROUNDS: usize = 25;

fn contract(pages: Pages) -> String {
    format!(
        r#"(module (memory (export "memory") {})
             (func (export "touch") (param $at i32) (param $length i32)
               (local $end i32)
               (local.set $end (i32.add (local.get $at) (local.get $length)))
               (loop $next
                 (i32.store8 offset=8 (local.get $at) (i32.const 1))
                 (local.set $at (i32.add (local.get $at) (i32.const 4096)))
                 (br_if $next (i32.lt_u (local.get $at) (local.get $end))))))"#,
        pages.0
    )
}

/// Touches once a host page, and zeroes by non-temporal stores of the widest kind.
///
/// # Safety
/// The range is writable and starts at a page.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx")]
unsafe fn stream(start: *mut u8, length: usize) {
    use std::arch::x86_64::{_mm_sfence, _mm256_setzero_si256, _mm256_stream_si256};
    for at in (0..length).step_by(64) {
        // SAFETY: within the caller's range, and aligned as it is.
        unsafe {
            let line = start.add(at).cast();
            _mm256_stream_si256(line, _mm256_setzero_si256());
            _mm256_stream_si256(line.add(1), _mm256_setzero_si256());
        }
    }
    _mm_sfence();
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream(start: *mut u8, length: usize) {
    // SAFETY: the caller's promise.
    unsafe { start.write_bytes(0, length) }
}

/// Nanoseconds that touching and zeroing take, less the touch again.
fn plain(start: *mut u8, length: usize, streams: bool, machine: &HostMachine) -> u64 {
    let touch = || {
        let begin = machine.now_ns();
        for at in (0..length).step_by(4096) {
            // SAFETY: within the mapping that `main` made.
            unsafe { start.add(at + 8).write_volatile(1) };
        }
        machine.now_ns() - begin
    };
    let (first, warm) = (touch(), touch());
    let begin = machine.now_ns();
    // SAFETY: the same mapping; `main` asks for `streams` only where the instructions are.
    unsafe { if streams { stream(start, length) } else { start.write_bytes(0, length) } }
    (first + machine.now_ns() - begin).saturating_sub(warm)
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let most = Pages(1024);
    let length = |pages: Pages| usize::try_from(pages.bytes().0).unwrap_or(usize::MAX);
    let size = NonZeroUsize::new(length(most) + (2 << 20)).ok_or("no size")?;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let mapping = unsafe {
        let mapping = mmap_anonymous(None, size, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_PRIVATE)?;
        madvise(mapping, size.get(), MmapAdvise::MADV_HUGEPAGE)?;
        mapping.cast::<u8>().as_ptr()
    };
    let start = mapping.wrapping_add(mapping.align_offset(2 << 20));
    #[cfg(target_arch = "x86_64")]
    let can_stream = is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    let can_stream = false;

    let node = NodeSettings { thresholds: thresholds()?, ..NodeSettings::new(MemoryLimit(most)) };
    let strategy = find("recycle-adaptive").ok_or("no such strategy")?;
    println!("non-temporal stores from {:?}; host page {HOST_PAGE}", node.thresholds.stream_from());
    println!("{:>6} {:>14} {:>14} {:>14} {:>7}", "pages", "cycle ns", "stream ns", "memset ns", "ratio");
    let mut machine = HostMachine::new(Bytes(4 << 20));
    for pages in [1, 17, 256, 512, 1024].map(Pages) {
        let wasm = wat::parse_str(contract(pages))?;
        let code = ContractCode { label: "limit", wasm: &wasm, entry: "touch" };
        let loaded = WasmtimeRuntime::new(strategy, node).load(code)?;
        let (mut cycles, mut streams, mut memsets) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..=ROUNDS {
            machine.chill();
            let times = cycle(loaded.as_ref(), pages.bytes(), WriteWidth::HostPage, &machine)?;
            machine.chill();
            let stream = plain(start, length(pages), can_stream, &machine);
            machine.chill();
            let memset = plain(start, length(pages), false, &machine);
            if round > 0 {
                cycles.push(
                    (times.instantiate_ns + times.first_touch_ns + times.reset_ns).saturating_sub(times.warm_touch_ns),
                );
                streams.push(stream);
                memsets.push(memset);
            }
        }
        let (own, stream, memset) = (median(cycles), median(streams), median(memsets));
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a cycle")]
        let ratio = own as f64 / stream.min(memset) as f64;
        println!("{:>6} {own:>14} {stream:>14} {memset:>14} {ratio:>7.3}", pages.0);
    }
    Ok(())
}
