//! What the harness adds to a cycle: the same Wasmtime calls made through it and by a bare loop.
//!
//! The two are timed in turn within one measurement, so that the machine's drift meets both alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use estimator::experiment::WriteWidth;
use estimator::measure::{HostMachine, cycle};
use estimator::runtime::{self, ContractCode, MemoryLimit, NodeSettings, Runtime, WasmtimeRuntime};
use estimator::units::{Bytes, Pages};
use wasmtime::{Engine, Extern, InstancePre, Linker, Module, ModuleExport, Store, StoreLimits, StoreLimitsBuilder};

const LIMIT: MemoryLimit = MemoryLimit(Pages(2048));

fn contract(pages: u32) -> Vec<u8> {
    let source = include_str!("../estimator-contracts/touch-memory-wat/touch-memory.wat")
        .replace("{initial_pages}", &pages.to_string())
        .replace("{stack_bytes}", "16384");
    wat::parse_str(source).expect("the shipped contract parses")
}

fn bare_cycle(pre: &InstancePre<StoreLimits>, entry: &ModuleExport, limits: &StoreLimits, length: u32) {
    let mut store = Store::new(pre.module().engine(), limits.clone());
    store.limiter(|limits| limits);
    let instance = pre.instantiate(&mut store).expect("instantiates");
    let export = instance.get_module_export(&mut store, entry).and_then(Extern::into_func).expect("has the entry");
    let touch = export.typed::<(u32, u32), ()>(&store).expect("has the type");
    touch.call(&mut store, (0, length)).expect("touches");
    touch.call(&mut store, (0, length)).expect("touches");
    drop(store);
}

/// Times `work` in turns with `other`, so that both see the same machine.
fn in_turns(iterations: u64, mut work: impl FnMut(), mut other: impl FnMut()) -> Duration {
    let mut total = Duration::ZERO;
    for _ in 0..iterations {
        other();
        let start = Instant::now();
        work();
        total += start.elapsed();
    }
    total
}

/// The medians of both, taken in turns cycle by cycle. Criterion measures one after the other, and a shared machine drifts by more
/// in between than the harness costs.
fn report_ratio(pages: u32, measured: &mut impl FnMut(), bare: &mut impl FnMut()) {
    let cycles = usize::try_from(40_000 / pages.max(10)).unwrap_or(400);
    let mut times = [Vec::with_capacity(cycles), Vec::with_capacity(cycles)];
    for _ in 0..cycles {
        for (work, times) in [measured as &mut dyn FnMut(), bare].into_iter().zip(&mut times) {
            let start = Instant::now();
            work();
            times.push(start.elapsed());
        }
    }
    let [harness, bare] = times.map(|mut times| {
        let middle = times.len() / 2;
        *times.select_nth_unstable(middle).1
    });
    println!(
        "{pages} pages, in turns: harness {harness:?}, bare {bare:?}, ratio {:.4}",
        harness.div_duration_f64(bare)
    );
}

fn harness(criterion: &mut Criterion) {
    let strategy = runtime::find("fresh-map").expect("a shipped strategy");
    let mut group = criterion.benchmark_group("cycle");
    for pages in [1, 17, 64] {
        let wasm = contract(pages);
        let length = Pages(pages).bytes();
        let code = ContractCode { label: "touch-memory-wat", wasm: &wasm, entry: "touch", is_brought: false };
        let loaded = WasmtimeRuntime::new(strategy, NodeSettings::new(LIMIT)).load(code).expect("loads");
        let machine = HostMachine::new(Bytes(0));

        let engine = Engine::new(&strategy.config(NodeSettings::new(LIMIT))).expect("an engine");
        let module = Module::new(&engine, &wasm).expect("compiles");
        module.initialize_copy_on_write_image().expect("an image");
        let pre = Linker::new(&engine).instantiate_pre(&module).expect("links");
        let entry = module.get_export_index("touch").expect("has the entry");
        let most = usize::try_from(LIMIT.0.bytes().0).expect("64-bit");
        let limits = StoreLimitsBuilder::new().memory_size(most).build();
        let bare_length = u32::try_from(length.0).expect("32-bit");

        let mut measured = || {
            black_box(cycle(&*loaded, length, WriteWidth::HostPage, &machine).expect("runs"));
        };
        let mut bare = || bare_cycle(&pre, &entry, &limits, bare_length);
        report_ratio(pages, &mut measured, &mut bare);
        group.bench_function(BenchmarkId::new("harness", pages), |b| {
            b.iter_custom(|n| in_turns(n, &mut measured, &mut bare));
        });
        group.bench_function(BenchmarkId::new("bare", pages), |b| {
            b.iter_custom(|n| in_turns(n, &mut bare, &mut measured));
        });
    }
    group.finish();
}

criterion_group!(benches, harness);
criterion_main!(benches);
