//! The reset strategies, a file and an entry of [`STRATEGIES`] each.

mod pool;

use super::strategy::Strategy;
use fresh_map::FreshMap;
use pool_decommit::PoolDecommit;
use pool_keep_resident::PoolKeepResident;
use recycle_adaptive::RecycleAdaptive;

listed! {
    /// Every strategy, in the order in which reports show them.
    pub static STRATEGIES: &dyn Strategy =
        fresh_map::FreshMap,
        pool_decommit::PoolDecommit,
        pool_keep_resident::PoolKeepResident,
        pool_pagemap_scan::PoolPagemapScan,
        decommit_huge::DecommitHuge,
        recycle_zero::RecycleZero,
        recycle_stream::RecycleStream,
        recycle_huge::RecycleHuge,
        recycle_adaptive::RecycleAdaptive,
        recycle_tracked::RecycleTracked,
        wasmi_fresh::WasmiFresh,
}

/// Those that are measured beside a chain's own where nobody names others: each of the rest takes time from the fee.
pub static USUAL: [&dyn Strategy; 4] = [&FreshMap, &PoolDecommit, &PoolKeepResident, &RecycleAdaptive];

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
