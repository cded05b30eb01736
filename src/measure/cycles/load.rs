use super::made::{self, counted, since};
use super::{Choice, Procedure, Subject};
use crate::contract::{Artifact, load_levels, made_to_load};
use crate::experiment::declared::ARTIFACT_BYTES;
use crate::experiment::load::{self, CONTRACT, MIXED};
use crate::experiment::{Experiment, Levels};
use crate::measure::{Machine, MeasureError, PlannedPoint};
use crate::runtime::{MemoryLimit, NodeSettings, Stored, artifact_bytes, find};

pub(super) const LOAD: Procedure = Procedure {
    of: &load::LOAD,
    timed: |subject, machine| timed(Stored::File, &load::LOAD, subject, machine),
    points: |choice| points(choice, declared),
    check: |contract, _| Ok(contract.load_anew(Stored::File, &mut || {})?),
    modules: Some(made_to_load),
    brings: false,
};

pub(super) const LOAD_COLD: Procedure = Procedure {
    of: &load::LOAD_COLD,
    timed: |subject, machine| timed(Stored::ColdFile, &load::LOAD_COLD, subject, machine),
    points: points_with_artifact,
    check: |contract, _| Ok(contract.load_anew(Stored::ColdFile, &mut || {})?),
    ..LOAD
};

pub(super) const LOAD_MEMORY: Procedure = Procedure {
    of: &load::LOAD_MEMORY,
    timed: |subject, machine| timed(Stored::Bytes, &load::LOAD_MEMORY, subject, machine),
    points: points_with_artifact,
    check: |contract, _| Ok(contract.load_anew(Stored::Bytes, &mut || {})?),
    ..LOAD
};

pub(super) const LOAD_KEPT: Procedure = Procedure {
    of: &load::LOAD_KEPT,
    timed: |subject, machine| timed(Stored::Ready, &load::LOAD_KEPT, subject, machine),
    check: |contract, _| Ok(contract.load_anew(Stored::Ready, &mut || {})?),
    ..LOAD
};

/// A load with cold caches.
fn timed(
    stored: Stored,
    experiment: &Experiment,
    subject: &Subject<'_>,
    machine: &mut dyn Machine,
) -> Result<Vec<u64>, MeasureError> {
    machine.chill();
    let before = counted(machine);
    let mut laps = Vec::with_capacity(experiment.phases.len() + 1);
    subject.contract.load_anew(stored, &mut || laps.push(machine.now_ns()))?;
    let counted = since(before, machine);
    Ok(laps.windows(2).map(|lap| lap[1] - lap[0]).chain(counted).collect())
}

/// Each module that was made, under each strategy.
fn points(choice: &Choice<'_>, levels: impl Fn(&Artifact) -> Levels + Sync) -> Vec<PlannedPoint> {
    /// Most loads take less than what is around them.
    const REPEATS: u32 = 2;
    made::points(choice, &[CONTRACT, MIXED], REPEATS, levels)
}

/// What was compiled can be read.
fn declared(artifact: &Artifact) -> Levels {
    load_levels(&artifact.wasm).unwrap_or_default()
}

/// The same with what the chain's nodes compile it to. A module that they refuse is left out before it is measured.
fn points_with_artifact(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let node = NodeSettings::new(MemoryLimit(choice.pages_max));
    let bytes = |wasm: &[u8]| find(choice.chain_strategy).and_then(|strategy| artifact_bytes(wasm, strategy, node));
    points(choice, |artifact| declared(artifact).with(&ARTIFACT_BYTES, bytes(&artifact.wasm).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};

    use super::*;
    use crate::contract::Limits;
    use crate::experiment::Point;
    use crate::measure::simulated::{LOADS, SimulatedRuntime, World};
    use crate::runtime::{ContractCode, Runtime, WasmtimeRuntime};
    use crate::units::Pages;

    const ALL: [Procedure; 4] = [LOAD, LOAD_COLD, LOAD_MEMORY, LOAD_KEPT];

    #[test]
    fn the_phases_of_a_load_are_taken_apart() {
        for procedure in ALL {
            let mut world = World::default();
            let code = ContractCode { label: "a", wasm: &[], entry: "touch", is_brought: false };
            let contract = SimulatedRuntime(world.clone()).load(code).unwrap();
            let point = Point::default();
            let subject = Subject { contract: contract.as_ref(), point: &point };
            let values = (procedure.timed)(&subject, &mut world).unwrap();
            assert_eq!(values, LOADS.into_iter().chain([0, 0]).collect::<Vec<_>>(), "{}", procedure.of.name);
            // The probe's place is filled by whoever measures it.
            assert_eq!(values.len() + 1, procedure.of.values());
        }
    }

    fn choice<'a>(artifacts: &'a [Artifact], strategies: &'a [&str], node: &'a Levels) -> Choice<'a> {
        Choice { artifacts, strategies, chain_strategy: "fresh-map", threads: 1, node, pages_max: Pages(1024) }
    }

    #[test]
    fn every_module_that_is_made_is_a_point_of_the_strategies_chosen() {
        let limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };
        let artifacts = made_to_load(limits).unwrap();
        let node = Levels::default();
        let points = (LOAD.points)(&choice(&artifacts, &["fresh-map", "pool-decommit"], &node));
        assert_eq!(points.len(), 2 * artifacts.len());
        assert!(points.iter().all(|planned| planned.point.levels != Levels::default()));
    }

    #[test]
    fn where_bytes_are_read_or_copied_points_know_how_many() {
        let limits = Limits { initial_pages_max: Pages(16), pages_max: Pages(16) };
        let few = ["least", "functions64", "code16384"];
        let made = made_to_load(limits).unwrap().into_iter().filter(|made| few.contains(&&*made.variant));
        let (artifacts, node) = (made.collect::<Vec<_>>(), Levels::default());
        let points = (LOAD_MEMORY.points)(&choice(&artifacts, &["fresh-map"], &node));
        let bytes: Vec<u64> = points.iter().map(|planned| planned.point.level(&ARTIFACT_BYTES)).collect();
        assert!(bytes[0] > 4096 && bytes[1] > bytes[0] && bytes[2] > bytes[0] + 16_384, "{bytes:?}");
    }

    #[test]
    fn a_contract_is_loaded_from_where_it_is_again_and_again_under_every_kind_of_strategy() {
        let limits = Limits { initial_pages_max: Pages(16), pages_max: Pages(16) };
        let artifacts = made_to_load(limits).unwrap();
        for strategy in ["fresh-map", "pool-decommit", "recycle-zero"] {
            let runtime = WasmtimeRuntime::new(find(strategy).unwrap(), NodeSettings::new(MemoryLimit(Pages(16))));
            for variant in ["least", "centre", "imports16"] {
                let artifact = artifacts.iter().find(|artifact| artifact.variant == variant).unwrap();
                let code =
                    ContractCode { label: variant, wasm: &artifact.wasm, entry: &artifact.entry, is_brought: false };
                let contract = runtime.load(code).unwrap();
                // Only a disk can be read: page_cache has the test of what is none.
                let is_on_disk = fstatfs(tempfile::tempfile().unwrap()).unwrap().filesystem_type() != TMPFS_MAGIC;
                let cold = is_on_disk.then_some(Stored::ColdFile);
                for stored in [Stored::File, Stored::Bytes, Stored::Ready].into_iter().chain(cold) {
                    let mut laps = 0;
                    (0..3).for_each(|_| contract.load_anew(stored, &mut || laps += 1).unwrap());
                    assert_eq!(laps, 3 * (load::LOAD.phases.len() + 1), "{stored:?}");
                }
            }
        }
    }
}
