use std::fmt;

use wasmtime::Config;

use super::node::NodeSettings;
use crate::units::Bytes;

/// Why a strategy cannot run on this machine, and what would change that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

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

    /// Whether the first touch of a page always faults, since no page is resident when a tenant starts.
    ///
    /// A cycle with fewer faults than pages then did not do what it claims.
    fn every_page_faults(&self) -> bool {
        false
    }

    /// The most physical memory that idle slots of one engine hold between calls: the price of not returning it to the kernel.
    fn idle(&self, node: NodeSettings) -> Bytes;

    /// Whether it uses the thresholds of the node settings, which must then be measured on the machine.
    fn uses_thresholds(&self) -> bool {
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
