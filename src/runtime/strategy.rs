use std::fmt;

use wasmtime::Config;

use super::{NodeSettings, Unavailable};

/// How a node gives a contract its memory and takes it back.
///
/// An implementation states in its doc comment which system calls run when, and what its cost scales with.
pub trait Strategy: fmt::Debug + Sync {
    /// The name in flags, files and tables.
    fn name(&self) -> &'static str;

    /// One line for people.
    fn summary(&self) -> &'static str;

    /// The engine settings that make Wasmtime follow this strategy.
    fn config(&self, node: NodeSettings) -> Config;

    /// Whether it uses the thresholds of the node settings, which must then be measured on the machine.
    fn uses_thresholds(&self) -> bool {
        false
    }

    /// Whether it is another engine, to which [`Strategy::config`] says nothing.
    fn is_interpreter(&self) -> bool {
        false
    }

    /// Whether this machine can run it.
    ///
    /// # Errors
    /// What it lacks.
    fn available(&self) -> Result<(), Unavailable> {
        Ok(())
    }
}
