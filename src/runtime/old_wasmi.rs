//! wasmi as it was when it filled new value stacks with zeros, to show what that costs.

use old_wasmi::{Config, Engine, Linker, Module, StackLimits, Store};

use super::RuntimeError;
use super::stacks::{CELL, Cause, MOST, NEST, Nesting, contract, not_made, refused, returned};
use crate::units::Bytes;

/// wasmi 0.31, with value stacks of one initial height.
pub struct OldInterpreter {
    module: Module,
    linker: Linker<()>,
}

impl OldInterpreter {
    /// Whose engine keeps so many stacks for calls to come.
    ///
    /// # Errors
    /// The engine refuses its contract.
    pub fn new(height: Bytes, kept: usize) -> Result<Self, RuntimeError> {
        let cells = (height.host_size() / CELL).clamp(1, MOST);
        let limits = StackLimits::new(cells, MOST, MOST).map_err(|e| refused(e.to_string().into()))?;
        let mut config = Config::default();
        config.set_stack_limits(limits).set_cached_stacks(kept);
        let engine = Engine::new(&config);
        let module = Module::new(&engine, &contract()?[..]).map_err(|e| refused(e.into()))?;
        Ok(Self { linker: Linker::new(&engine), module })
    }
}

impl Nesting for OldInterpreter {
    fn call(&self, nested: u32, lap: &mut dyn FnMut()) -> Result<(), RuntimeError> {
        let failed = |e: old_wasmi::Error| not_made(e.into());
        lap();
        let mut store = Store::new(self.module.engine(), ());
        let instance = self.linker.instantiate(&mut store, &self.module).map_err(failed)?;
        let instance = instance.start(&mut store).map_err(failed)?;
        let nest = instance.get_typed_func::<u32, i64>(&store, NEST).map_err(failed)?;
        lap();
        let result = nest.call(&mut store, nested);
        lap();
        drop(store);
        lap();
        returned(result.map_err(|trap| Cause::from(trap.to_string())), nested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest_deeper_than_the_stack_is_high_at_first() {
        let interpreter = OldInterpreter::new(Bytes(4 << 10), 1).unwrap();
        let mut laps = 0;
        for nested in [0, 1, 512] {
            interpreter.call(nested, &mut || laps += 1).unwrap();
        }
        assert_eq!(laps, 12);
    }
}
