//! Calls for which it matters where their stack comes from.

use std::fmt::Write as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wasmtime::{
    Config, Engine, InstanceAllocationStrategy, InstancePre, Linker, Module, PoolingAllocationConfig, Store,
};

use super::RuntimeError;
use crate::units::Bytes;

/// Bytes of values that each nested call keeps.
pub const NESTED: Bytes = Bytes(1 << 10);

/// What runs calls that nest, on a stack that is got and given back in a way of its own.
pub trait Nesting {
    /// Makes an instance, calls it with so many calls nested, and drops it. `lap` is called before, and after each of the three.
    ///
    /// # Errors
    /// The instance or its stack cannot be had, or the call traps.
    fn call(&self, nested: u32, lap: &mut dyn FnMut()) -> Result<(), RuntimeError>;
}

/// Bytes of a cell of an interpreter's value stack.
pub(super) const CELL: usize = 8;

/// The largest value stack of an interpreter in cells: 128 MiB.
pub(super) const MOST: usize = (128 << 20) / CELL;

/// How messages name the contract.
pub(super) const LABEL: &str = "nested calls";
/// Its export.
pub(super) const NEST: &str = "nest";

/// A contract whose `nest` calls itself as often as it is told. Each call holds the values of as many globals as fit into [`NESTED`], which
/// it needs again when the one that it made has returned: no compiler can do without a place for them.
pub(super) fn contract() -> Result<Vec<u8>, RuntimeError> {
    let values = NESTED.0 / 8;
    let (mut globals, mut locals, mut read, mut sum) = (String::new(), String::new(), String::new(), String::new());
    for value in 0..values {
        // Writing to a `String` cannot fail.
        let _ = write!(globals, "(global $g{value} (mut i64) (i64.const {value}))");
        let _ = write!(locals, "(local $v{value} i64)");
        let _ = write!(read, "(local.set $v{value} (global.get $g{value}))");
        let _ = write!(sum, "(i64.add (local.get $v{value}))");
    }
    let text = format!(
        "(module {globals}
           (func $nest (export \"{NEST}\") (param $n i32) (result i64) {locals}
             (if (i32.eqz (local.get $n)) (then (return (i64.const 0))))
             {read}
             (call $nest (i32.sub (local.get $n) (i32.const 1)))
             {sum}))"
    );
    wat::parse_str(text).map_err(|source| refused(source.into()))
}

pub(super) type Cause = Box<dyn std::error::Error + Send + Sync>;

pub(super) fn refused(source: Cause) -> RuntimeError {
    RuntimeError::Compile { contract: LABEL.into(), source }
}

pub(super) fn not_made(source: Cause) -> RuntimeError {
    RuntimeError::Instantiate { contract: LABEL.into(), source }
}

/// What `nest` returned for so many calls, held against what it should.
pub(super) fn returned(result: Result<i64, Cause>, nested: u32) -> Result<(), RuntimeError> {
    let trapped = |source| RuntimeError::Nest { contract: LABEL.into(), source };
    let values = i64::from(u32::try_from(NESTED.0 / 8).unwrap_or(u32::MAX));
    match result.map_err(trapped)? {
        found if found == i64::from(nested) * (values * (values - 1) / 2) => Ok(()),
        found => Err(trapped(format!("it returns {found}").into())),
    }
}

/// Where Wasmtime takes the stack of a call from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fiber {
    /// The caller's own: no fiber.
    None,
    /// A mapping for each call, which is unmapped after it.
    OnDemand,
    /// A slot of a pool, which is left as it is.
    Pooled,
    /// A slot of a pool that is zeroed after each call: so many bytes by hand, and the rest by giving it back to the kernel.
    Zeroed(Bytes),
}

/// Wasmtime, with stacks of one size.
pub struct Fibers {
    fiber: Fiber,
    pre: InstancePre<()>,
}

impl Fibers {
    /// Half of each stack is for compiled code, the rest for what the host does on it.
    ///
    /// # Errors
    /// The engine cannot be made, or refuses its contract.
    pub fn new(fiber: Fiber, stack: Bytes) -> Result<Self, RuntimeError> {
        let mut config = Config::new();
        config.max_wasm_stack(stack.host_size() / 2);
        config.async_stack_size(stack.host_size());
        if let Fiber::Pooled | Fiber::Zeroed(_) = fiber {
            let mut pool = PoolingAllocationConfig::new();
            pool.total_core_instances(1).total_memories(0).total_tables(0).total_stacks(1);
            if let Fiber::Zeroed(kept) = fiber {
                config.async_stack_zeroing(true);
                pool.async_stack_keep_resident(kept.host_size());
            }
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        }
        let unmade = |e: wasmtime::Error| RuntimeError::Engine { strategy: "fibers", source: e.into() };
        let engine = Engine::new(&config).map_err(unmade)?;
        let module = Module::new(&engine, contract()?).map_err(|e| refused(e.into()))?;
        let pre = Linker::new(&engine).instantiate_pre(&module).map_err(|e| refused(e.into()))?;
        Ok(Self { fiber, pre })
    }
}

impl Nesting for Fibers {
    fn call(&self, nested: u32, lap: &mut dyn FnMut()) -> Result<(), RuntimeError> {
        lap();
        let mut store = Store::new(self.pre.module().engine(), ());
        let instance = self.pre.instantiate(&mut store).map_err(|e| not_made(e.into()))?;
        let nest = instance.get_typed_func::<u32, i64>(&mut store, NEST).map_err(|e| not_made(e.into()))?;
        lap();
        let result = if self.fiber == Fiber::None {
            nest.call(&mut store, nested)
        } else {
            let call = pin!(nest.call_async(&mut store, nested));
            // Nothing that it calls waits.
            match call.poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(result) => result,
                Poll::Pending => return returned(Err("the call waits for nothing".into()), nested),
            }
        };
        lap();
        drop(store);
        lap();
        returned(result.map_err(Into::into), nested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest_on_stacks_from_everywhere_and_no_deeper_than_there_is_room() {
        let size = Bytes(128 << 10);
        for fiber in [Fiber::None, Fiber::OnDemand, Fiber::Pooled, Fiber::Zeroed(Bytes(0)), Fiber::Zeroed(size)] {
            let fibers = Fibers::new(fiber, size).unwrap();
            let mut laps = 0;
            for nested in [0, 1, 16] {
                fibers.call(nested, &mut || laps += 1).unwrap();
            }
            assert_eq!(laps, 12, "{fiber:?}");
            let deeper = fibers.call(64, &mut || {}).unwrap_err();
            assert!(matches!(deeper, RuntimeError::Nest { .. }), "64 KiB of values have no room in 64 KiB: {deeper}");
        }
    }
}
