//! How far `recycle-adaptive` is from what the machine can do, and from the others: the whole call cycle under each strategy and a
//! plain loop that touches and wipes the same bytes with the best instruction, in turn, every host page touched.
//!
//! Prints, for caches cold before each cycle and for caches as the last one left them: medians, where the time of
//! `recycle-adaptive` goes, how many times dearer `fresh-map` and the best of Wasmtime's own strategies are, and how many times the
//! plain loop it takes.
#![expect(unsafe_code, reason = "the plain loop writes memory past the caches")]

use std::error::Error;
use std::num::NonZeroUsize;

use estimator::experiment::WriteWidth;
use estimator::measure::{HostMachine, Machine, cycle, thresholds};
use estimator::runtime::{ContractCode, MemoryLimit, NodeSettings, Runtime, WasmtimeRuntime, find, only_where_advised};
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

fn median(times: impl Iterator<Item = u64>) -> u64 {
    let mut times: Vec<u64> = times.collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// Instantiate, first touch, warm touch, reset; and the page faults of the first touch.
type Cycle = ([u64; 4], [u64; 2]);

fn cost(&([instantiate, first_touch, warm_touch, reset], _): &Cycle) -> u64 {
    (instantiate + first_touch + reset).saturating_sub(warm_touch)
}

#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a cycle")]
fn times(one: u64, other: u64) -> f64 {
    one as f64 / other as f64
}

const OWN: &str = "recycle-adaptive";
const FRESH: &str = "fresh-map";
const STOCK: [&str; 4] = [FRESH, "pool-decommit", "pool-keep-resident", "pool-pagemap-scan"];

/// Memory for the plain loop, on huge pages where there are any.
fn ground(length: usize) -> Result<*mut u8, Box<dyn Error>> {
    const HUGE_PAGE: usize = 2 << 20;
    let size = NonZeroUsize::new(length + HUGE_PAGE).ok_or("no size")?;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let mapping = unsafe {
        let mapping = mmap_anonymous(None, size, ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_PRIVATE)?;
        madvise(mapping, size.get(), MmapAdvise::MADV_HUGEPAGE)?;
        mapping.cast::<u8>().as_ptr()
    };
    Ok(mapping.wrapping_add(mapping.align_offset(HUGE_PAGE)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let most = Pages(1024);
    let length = |pages: Pages| usize::try_from(pages.bytes().0).unwrap_or(usize::MAX);
    let start = ground(length(most))?;
    #[cfg(target_arch = "x86_64")]
    let can_stream = is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    let can_stream = false;

    // As the workers of a run do.
    only_where_advised()?;
    let node = NodeSettings {
        thresholds: thresholds(find("recycle-adaptive").ok_or("no recycle-adaptive")?)?,
        ..NodeSettings::new(MemoryLimit(most))
    };
    println!("{:?}; host page {HOST_PAGE}", node.thresholds);
    let mut machine = HostMachine::new(Bytes(4 << 20));
    let strategies: Vec<_> = STOCK
        .iter()
        .chain(&[OWN])
        .filter_map(|name| find(name))
        .filter(|strategy| strategy.available().is_ok())
        .collect();
    for cold in [true, false] {
        println!("caches {}", if cold { "cold" } else { "warm" });
        println!(
            "{:>6} {:>10} ({:>8} {:>8} {:>8}) {:>10} {:>7} {:>10} {:>7} {:>10} {:>7}",
            "pages",
            "own ns",
            "instant.",
            "touch",
            "reset",
            "fresh ns",
            "/ own",
            "best stock",
            "/ own",
            "plain ns",
            "own /"
        );
        for pages in [1, 4, 8, 17, 32, 64, 128, 256, 512, 1024].map(Pages) {
            let wasm = wat::parse_str(contract(pages))?;
            let code = ContractCode { label: "limit", wasm: &wasm, entry: "touch", is_brought: false };
            let loaded = strategies
                .iter()
                .map(|&strategy| WasmtimeRuntime::new(strategy, node).load(code))
                .collect::<Result<Vec<_>, _>>()?;
            let mut cycles = vec![Vec::new(); strategies.len()];
            let mut plains = [Vec::new(), Vec::new()];
            for round in 0..=ROUNDS {
                for (contract, cycles) in loaded.iter().zip(&mut cycles) {
                    if cold {
                        machine.chill();
                    }
                    cycles.push(cycle(contract.as_ref(), pages.bytes(), WriteWidth::HostPage, &machine)?);
                }
                for (streams, plains) in [can_stream, false].into_iter().zip(&mut plains) {
                    if cold {
                        machine.chill();
                    }
                    plains.push(plain(start, length(pages), streams, &machine));
                }
                if round == 0 {
                    // First uses of a slot cost extra.
                    cycles.iter_mut().for_each(Vec::clear);
                    plains.iter_mut().for_each(Vec::clear);
                }
            }
            let of = |name: &str| {
                let place = strategies.iter().position(|strategy| strategy.name() == name)?;
                Some(median(cycles[place].iter().map(cost)))
            };
            let place = strategies.len() - 1;
            let phase = |of: fn(&Cycle) -> u64| median(cycles[place].iter().map(of));
            let own = median(cycles[place].iter().map(cost));
            let fresh = of(FRESH).ok_or("fresh-map runs everywhere")?;
            let stock = STOCK.iter().filter_map(|name| of(name)).min().unwrap_or(fresh);
            let plain = plains.into_iter().map(|times| median(times.into_iter())).min().unwrap_or(own);
            println!(
                "{:>6} {own:>10} ({:>8} {:>8} {:>8}) {fresh:>10} {:>7.2} {stock:>10} {:>7.2} {plain:>10} {:>7.3}",
                pages.0,
                phase(|cycle| cycle.0[0]),
                phase(|cycle| cycle.0[1]),
                phase(|cycle| cycle.0[3]),
                times(fresh, own),
                times(stock, own),
                times(own, plain)
            );
        }
    }
    Ok(())
}
