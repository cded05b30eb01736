use std::fmt;

use wasmtime::Config;

use super::MemoryLimit;
use super::fresh_map::FreshMap;
use super::pool_decommit::PoolDecommit;
use super::pool_keep_resident::PoolKeepResident;

/// How a node gives a contract its memory and takes it back.
///
/// An implementation states in its doc comment which system calls run when, and what its cost scales with.
pub trait Strategy: fmt::Debug + Sync {
    /// The name in flags, files and tables.
    fn name(&self) -> &'static str;

    /// One line for people.
    fn summary(&self) -> &'static str;

    /// The engine settings that make Wasmtime follow this strategy.
    fn config(&self, limit: MemoryLimit) -> Config;

    /// Whether the first touch of a page always faults, since no page is resident when a tenant starts.
    ///
    /// A cycle with fewer faults than pages then did not do what it claims.
    fn every_page_faults(&self) -> bool;
}

/// Every strategy, in the order in which reports show them.
pub static STRATEGIES: [&dyn Strategy; 3] = [&FreshMap, &PoolDecommit, &PoolKeepResident];

/// The strategy of this name, if there is one.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Strategy> {
    STRATEGIES.into_iter().find(|strategy| strategy.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_own_strategy() {
        for strategy in STRATEGIES {
            assert_eq!(find(strategy.name()).map(Strategy::name), Some(strategy.name()));
        }
        assert!(find("no-such-strategy").is_none());
    }
}
