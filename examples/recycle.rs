//! Recycled memories in a Wasmtime embedding of your own: run it with `cargo run --release --example recycle`.
//!
//! Only `estimator::runtime::recycle` is used; nothing of the measuring comes with it.
//!
//! The memories here are tracked: what a call did not write is not wiped after it. That takes a handler of SIGSEGV, which asks for some care:
//!
//! - A system call that writes to a contract's memory, such as `read(2)`, fails with `EFAULT` where the call wrote nothing before:
//!   `open` the buffer first, as `input` below does. Copying from a buffer of the host needs nothing.
//! - Install handlers of SIGSEGV of your own, crash reporters among them, before the first engine. One that comes later and hands on makes
//!   every reset a whole wipe (`Recycler::untracked` counts them); one that does not hand on breaks the program.
//! - Never call `Engine::unload_process_handlers`: it aborts.
//! - Do not block SIGSEGV on threads that write to memories, nor write by `/proc/self/mem`.
//!
//! Where that is too much, `Recycler::on_huge_pages(Wipe::Adaptive(thresholds), keep)` wipes all that a call declared, without signals.

use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::time::Instant;

use estimator::runtime::recycle::{Recycler, Thresholds, open};
use estimator::units::Bytes;
use wasmtime::{Caller, Engine, Extern, Instance, Linker, Module, Store};

/// A contract with 64 MiB of memory that counts its calls in it: always 1, since every call finds its memory new. Then it has the host read
/// something into its memory.
const CONTRACT: &str = r#"(module
  (import "host" "input" (func $input (param i32 i32)))
  (memory (export "memory") 1024)
  (func (export "call") (result i32)
    (i32.store (i32.const 1024) (i32.add (i32.load (i32.const 1024)) (i32.const 1)))
    (call $input (i32.const 50000000) (i32.const 32))
    (i32.load (i32.const 1024))))"#;

/// Reads as many random bytes into the contract's memory as it asks for.
fn input(mut caller: Caller<'_, ()>, start: u32, length: u32) -> wasmtime::Result<()> {
    let memory = caller.get_export("memory").and_then(Extern::into_memory);
    let data = memory.map(|memory| memory.data_mut(&mut caller)).unwrap_or_default();
    let buffer = data.get_mut(start as usize..).and_then(|data| data.get_mut(..length as usize));
    let buffer = buffer.ok_or_else(|| wasmtime::Error::msg("the buffer is not in the memory"))?;
    // Without this, `read_exact` would fail with "Bad address": the kernel writes, and for it nothing faults.
    open(buffer)?;
    File::open("/dev/urandom")?.read_exact(buffer)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    // Once in the life of a node: see which wipe is cheaper here at which size, and from which size on tracking pays.
    let start = Instant::now();
    let clock = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let thresholds = Thresholds::measure_tracking(&clock)?;

    // Idle memories hold at most 128 MiB.
    let recycler = Recycler::tracked(thresholds, Bytes(128 << 20));

    // Your own settings go on top. `check` then finds what would have turned recycling off or made it unsafe.
    let mut config = recycler.config();
    config.consume_fuel(true);
    let engine = Engine::new(&config)?;
    recycler.check(&engine)?;

    let module = Module::new(&engine, wat::parse_str(CONTRACT)?)?;
    let mut linker = Linker::new(&engine);
    linker.func_wrap("host", "input", input)?;
    let contract = linker.instantiate_pre(&module)?;
    for _ in 0..1000 {
        let mut store = Store::new(&engine, ());
        store.set_fuel(1_000)?;
        let instance: Instance = contract.instantiate(&mut store)?;
        let calls = instance.get_typed_func::<(), i32>(&mut store, "call")?.call(&mut store, ())?;
        assert_eq!(calls, 1, "a contract saw what an earlier call left behind");
        // Here the store ends. The two spans that were written are wiped, and the memory waits for the next call.
    }

    match thresholds.blend_from {
        Some(size) => println!("a wipe past the caches pays here from {size} on"),
        None => println!("memset is always the cheaper wipe here"),
    }
    match thresholds.track_from {
        Some(size) => println!("tracking what is written pays here from {size} on"),
        None => println!("tracking what is written never pays here"),
    }
    println!("1000 calls used {} slots, which hold at most {}", recycler.idle_slots(), recycler.kept());
    println!("{} memories could not be tracked", recycler.untracked());
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
