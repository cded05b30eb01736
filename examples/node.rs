//! A node in small, to hold a fee against: a pool of threads that call a few hundred loaded contracts of mixed sizes at random.
//!
//!     cargo run --release --example node -- [TABLE [SECONDS]]
//!
//! It measures its own calls with its own loop on plain Wasmtime and nothing of this library, which only reads the table. Each call
//! is instantiated, touches every host page that it declares, and is dropped; the stores themselves, which instructions pay for, are taken off
//! by a second touch. What a call of 1, 2 and 17 pages takes here at the median is what its charge before the safety factor should cover:
//! at the median of all calls where the chain file says `previous = "same"`, of those right after a call of 64 MiB where it says `"dirty"`.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use estimator::experiment::{MEMORY, Point};
use estimator::params::{ParamTable, charges_before_safety};
use estimator::units::{Nanos, Pages};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use wasmtime::{Config, Engine, InstancePre, Linker, Module, Store};

/// How many of a hundred calls declare how many pages: mostly the linker's stack of 1 MiB with some data, as real contracts do.
const MIX: [(u64, u32); 6] = [(20, 1), (15, 2), (15, 16), (45, 17), (4, 64), (1, 1024)];

/// Contracts that are loaded.
const LOADED: usize = 300;

/// The most that a call declares.
const LARGEST: u32 = MIX[MIX.len() - 1].1;

/// What calls took in nanoseconds, by their pages and by whether the call before on their thread was one of the largest.
type Times = BTreeMap<(u32, bool), Vec<f64>>;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let mut args = env::args().skip(1);
    let table = args.next().unwrap_or_else(|| "params/current.toml".into());
    let seconds: u64 = args.next().map_or(Ok(20), |text| text.parse())?;
    let table = ParamTable::load(Path::new(&table))?;

    let engine = Engine::new(Config::new().memory_reservation(4 << 30))?;
    let contracts: Vec<(u32, InstancePre<()>)> =
        (0..LOADED).map(|number| load(&engine, number)).collect::<Outcome<_>>()?;
    let end = Instant::now() + Duration::from_secs(seconds);
    let processors = thread::available_parallelism()?.get();
    let times = thread::scope(|scope| {
        let pool: Vec<_> = (0..processors)
            .map(|seed| {
                scope.spawn({
                    let contracts = &contracts;
                    move || calls(contracts, seed as u64, end)
                })
            })
            .collect();
        let mut times = Times::new();
        for thread in pool {
            for (of, own) in thread.join().map_err(|_| "a thread of the pool panicked")?? {
                times.entry(of).or_default().extend(own);
            }
        }
        Outcome::Ok(times)
    })?;

    println!(
        "{processors} threads, {LOADED} contracts, {seconds} s; charges of {} before the safety factor",
        table.provenance.run.run
    );
    println!(
        "{:>6} {:>12} {:>7} {:>9} {:>9} {:>9} {:>15}",
        "pages", "after", "calls", "median", "p90", "charge", "charge/median"
    );
    for ((pages, after_largest), mut times) in times {
        times.sort_unstable_by(f64::total_cmp);
        let at = |percent: usize| times[(times.len() - 1) * percent / 100];
        let point = Point::of_memory("node", "", &table.provenance.chain.strategy, Pages(pages));
        let charge = charges_before_safety(&table, &MEMORY, &[point])?[0];
        let shown = [at(50), at(90), charge].map(|nanos| Nanos(nanos).to_string());
        println!(
            "{pages:>6} {:>12} {:>7} {:>9} {:>9} {:>9} {:>15.2}",
            if after_largest { "64 MiB" } else { "a smaller" },
            times.len(),
            shown[0],
            shown[1],
            shown[2],
            charge / at(50)
        );
    }
    Ok(())
}

/// A contract of a size of the mix. No two are the same module.
fn load(engine: &Engine, number: usize) -> Outcome<(u32, InstancePre<()>)> {
    let pages = MIX[number % MIX.len()].1;
    let text = format!(
        r#"(module (memory (export "memory") {pages}) (global i32 (i32.const {number}))
             (func (export "touch") (param $end i32) (local $at i32)
               (loop $next
                 (i32.store8 (local.get $at) (i32.const 1))
                 (local.tee $at (i32.add (local.get $at) (i32.const 4096)))
                 (br_if $next (i32.lt_u (local.get $end))))))"#
    );
    let module = Module::new(engine, wat::parse_str(text)?)?;
    Ok((pages, Linker::new(engine).instantiate_pre(&module)?))
}

/// Calls contracts at random until the end.
fn calls(contracts: &[(u32, InstancePre<()>)], seed: u64, end: Instant) -> Outcome<Times> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut times = Times::new();
    let mut after_largest = false;
    while Instant::now() < end {
        let mut drawn = random.random_range(0..100);
        let size = MIX.iter().position(|(share, _)| {
            let here = drawn < *share;
            drawn = drawn.saturating_sub(*share);
            here
        });
        let of_size = LOADED / MIX.len();
        let number = random.random_range(0..of_size) * MIX.len() + size.unwrap_or_default();
        let (pages, contract) = &contracts[number];
        times.entry((*pages, after_largest)).or_default().push(call(contract, *pages)?);
        after_largest = *pages == LARGEST;
    }
    Ok(times)
}

fn call(contract: &InstancePre<()>, pages: u32) -> Outcome<f64> {
    let start = Instant::now();
    let mut store = Store::new(contract.module().engine(), ());
    let instance = contract.instantiate(&mut store)?;
    let touch = instance.get_typed_func::<u32, ()>(&mut store, "touch")?;
    touch.call(&mut store, pages << 16)?;
    let touched = Instant::now();
    touch.call(&mut store, pages << 16)?;
    let warm = Instant::now();
    drop(store);
    let cost = (touched - start) + warm.elapsed();
    Ok(cost.as_secs_f64() * 1e9 - (warm - touched).as_secs_f64() * 1e9)
}
