//! Recycled memories in a Wasmtime embedding of your own: run it with `cargo run --release --example recycle`.
//!
//! Only `estimator::runtime::recycle` is used; nothing of the measuring comes with it.

use std::error::Error;
use std::time::Instant;

use estimator::runtime::recycle::{Recycler, Thresholds, Wipe};
use estimator::units::Bytes;
use wasmtime::{Engine, Instance, Module, Store};

/// A contract with 4 MiB of memory that counts its calls in it: always 1, since every call finds its memory new.
const CONTRACT: &str = r#"(module
  (memory (export "memory") 64)
  (func (export "call") (result i32)
    (i32.store (i32.const 1024) (i32.add (i32.load (i32.const 1024)) (i32.const 1)))
    (i32.load (i32.const 1024))))"#;

fn main() -> Result<(), Box<dyn Error>> {
    // Once in the life of a node: see which wipe is cheaper here at which size.
    let start = Instant::now();
    let thresholds = Thresholds::measure(&|| u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX))?;

    // Idle memories hold at most 128 MiB.
    let recycler = Recycler::new(Wipe::Adaptive(thresholds), Bytes(128 << 20));

    // Your own settings go on top. `check` then finds what would have turned recycling off or made it unsafe.
    let mut config = recycler.config();
    config.consume_fuel(true);
    let engine = Engine::new(&config)?;
    recycler.check(&engine)?;

    let module = Module::new(&engine, wat::parse_str(CONTRACT)?)?;
    for _ in 0..1000 {
        let mut store = Store::new(&engine, ());
        store.set_fuel(1_000)?;
        let instance = Instance::new(&mut store, &module, &[])?;
        let calls = instance.get_typed_func::<(), i32>(&mut store, "call")?.call(&mut store, ())?;
        assert_eq!(calls, 1, "a contract saw what an earlier call left behind");
        // Here the store ends, and its memory is wiped and waits for the next call.
    }

    match thresholds.blend_from() {
        Some(size) => println!("a wipe past the caches pays here from {size} on"),
        None => println!("memset is always the cheaper wipe here"),
    }
    println!("1000 calls used {} slots, which hold at most {}", recycler.idle_slots(), recycler.kept());
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
