//! The interpreter wasmi, for what its value stacks cost.

use wasmi::{Config, Engine, Linker, Module, Store};

use super::RuntimeError;
use super::stacks::{CELL, MOST, NEST, Nesting, contract, not_made, refused, returned};
use crate::units::Bytes;

/// The version of wasmi that is built in.
pub const WASMI_VERSION: &str = "1.1.0";

/// wasmi, with value stacks of one initial height, which its settings count in cells, though they say bytes.
pub struct Interpreter {
    module: Module,
    linker: Linker<()>,
}

impl Interpreter {
    /// Whose engine keeps so many stacks for calls to come.
    ///
    /// # Errors
    /// The engine refuses its contract.
    pub fn new(height: Bytes, kept: usize) -> Result<Self, RuntimeError> {
        let mut config = Config::default();
        config.set_max_stack_height(MOST).set_min_stack_height((height.host_size() / CELL).clamp(1, MOST));
        config.set_max_recursion_depth(MOST).set_max_cached_stacks(kept);
        let engine = Engine::new(&config);
        let module = Module::new(&engine, contract()?).map_err(|e| refused(e.into()))?;
        Ok(Self { linker: Linker::new(&engine), module })
    }
}

impl Nesting for Interpreter {
    fn call(&self, nested: u32, lap: &mut dyn FnMut()) -> Result<(), RuntimeError> {
        lap();
        let mut store = Store::new(self.module.engine(), ());
        let instance = self.linker.instantiate_and_start(&mut store, &self.module).map_err(|e| not_made(e.into()))?;
        let nest = instance.get_typed_func::<u32, i64>(&store, NEST).map_err(|e| not_made(e.into()))?;
        lap();
        let result = nest.call(&mut store, nested);
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
    fn the_version_is_the_one_in_the_lock_file() {
        let lock = include_str!("../../Cargo.lock");
        assert!(lock.contains(&format!("name = \"wasmi\"\nversion = \"{WASMI_VERSION}\"")));
    }

    #[test]
    fn calls_nest_deeper_than_the_stack_is_high_at_first() {
        let interpreter = Interpreter::new(Bytes(4 << 10), 1).unwrap();
        let mut laps = 0;
        for nested in [0, 1, 512] {
            interpreter.call(nested, &mut || laps += 1).unwrap();
        }
        assert_eq!(laps, 12);
    }
}
