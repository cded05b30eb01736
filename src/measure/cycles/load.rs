use super::{Choice, Procedure, Subject};
use crate::contract::{Artifact, load_levels, made};
use crate::experiment::load::{CONTRACT, MIXED};
use crate::experiment::{LOAD, Point};
use crate::measure::{Machine, MeasureError, PlannedPoint};

pub(super) const PROCEDURE: Procedure = Procedure {
    of: &LOAD,
    timed,
    points,
    check: |contract, _| Ok(contract.load_anew(&mut || {})?),
    modules: Some(made),
};

/// A load with cold caches.
fn timed(subject: &Subject<'_>, machine: &mut dyn Machine) -> Result<Vec<u64>, MeasureError> {
    machine.chill();
    let counters = |machine: &dyn Machine| [machine.minor_faults(), machine.involuntary_switches()];
    let before = counters(machine);
    let mut laps = Vec::with_capacity(LOAD.phases.len() + 1);
    laps.push(machine.now_ns());
    subject.contract.load_anew(&mut || laps.push(machine.now_ns()))?;
    let after = counters(machine);
    let times = laps.windows(2).map(|lap| lap[1] - lap[0]);
    let counted = before.into_iter().zip(after).map(|(before, after)| after.saturating_sub(before));
    Ok(times.chain(counted).collect())
}

/// Each module that was made, under each strategy.
fn points(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    /// Most loads take less than what is around them.
    const REPEATS: u32 = 2;
    let made = choice.artifacts.iter().filter(|artifact| [CONTRACT, MIXED].contains(&&*artifact.contract));
    let point = |artifact: &Artifact, strategy: &str| Point {
        contract: artifact.contract.clone(),
        variant: artifact.variant.clone(),
        strategy: strategy.to_owned(),
        // What was compiled can be read.
        levels: load_levels(&artifact.wasm).unwrap_or_default(),
    };
    let under = |artifact| choice.strategies.iter().map(move |strategy| point(artifact, strategy));
    made.flat_map(under).map(|point| PlannedPoint { point, repeats: REPEATS }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Limits;
    use crate::experiment::Levels;
    use crate::measure::simulated::{LOADS, SimulatedRuntime, World};
    use crate::runtime::{ContractCode, MemoryLimit, NodeSettings, Runtime, WasmtimeRuntime, find};
    use crate::units::Pages;

    #[test]
    fn the_phases_of_a_load_are_taken_apart() {
        let mut world = World::default();
        let code = ContractCode { label: "a", wasm: &[], entry: "touch" };
        let contract = SimulatedRuntime(world.clone()).load(code).unwrap();
        let point = Point::default();
        let values = timed(&Subject { contract: contract.as_ref(), point: &point }, &mut world).unwrap();
        assert_eq!(values, LOADS.into_iter().chain([0, 0]).collect::<Vec<_>>());
        // The probe's place is filled by whoever measures it.
        assert_eq!(values.len() + 1, LOAD.values());
    }

    #[test]
    fn every_module_that_is_made_is_a_point_of_the_strategies_chosen() {
        let limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };
        let artifacts = made(limits).unwrap();
        let strategies = ["fresh-map", "pool-decommit"];
        let choice = Choice {
            artifacts: &artifacts,
            strategies: &strategies,
            chain_strategy: "fresh-map",
            threads: 1,
            node: &Levels::default(),
        };
        let points = points(&choice);
        assert_eq!(points.len(), 2 * artifacts.len());
        assert!(points.iter().all(|planned| planned.point.levels != Levels::default()));
    }

    #[test]
    fn a_contract_is_loaded_from_its_file_again_and_again_under_every_kind_of_strategy() {
        let limits = Limits { initial_pages_max: Pages(16), pages_max: Pages(16) };
        let artifacts = made(limits).unwrap();
        for strategy in ["fresh-map", "pool-decommit", "recycle-zero"] {
            let runtime = WasmtimeRuntime::new(find(strategy).unwrap(), NodeSettings::new(MemoryLimit(Pages(16))));
            for variant in ["least", "centre", "imports16"] {
                let artifact = artifacts.iter().find(|artifact| artifact.variant == variant).unwrap();
                let code = ContractCode { label: variant, wasm: &artifact.wasm, entry: &artifact.entry };
                let contract = runtime.load(code).unwrap();
                let mut laps = 0;
                (0..3).for_each(|_| contract.load_anew(&mut || laps += 1).unwrap());
                assert_eq!(laps, 3 * LOAD.phases.len());
            }
        }
    }
}
