use super::made::{self, counted, since};
use super::{Choice, Procedure, Subject};
use crate::contract::{Artifact, deploy_levels, made_to_deploy};
use crate::experiment::declared::WORST_MIX;
use crate::experiment::deploy::{self, CONTRACT, HOSTILE, MIXED};
use crate::measure::{Machine, MeasureError, PlannedPoint};
use crate::runtime::Deployment;

pub(super) const VALIDATE: Procedure = Procedure {
    of: &deploy::VALIDATE,
    timed: |subject, machine| timed(Deployment::Validate, subject, machine),
    points,
    check: |contract, _| Ok(contract.deploy(Deployment::Validate)?),
    modules: Some(made_to_deploy),
    brings: true,
};

pub(super) const CRANELIFT: Procedure = Procedure {
    of: &deploy::CRANELIFT,
    timed: |subject, machine| timed(Deployment::Cranelift, subject, machine),
    check: |contract, _| Ok(contract.deploy(Deployment::Cranelift)?),
    ..VALIDATE
};

pub(super) const WINCH: Procedure = Procedure {
    of: &deploy::WINCH,
    timed: |subject, machine| timed(Deployment::Winch, subject, machine),
    check: |contract, _| Ok(contract.deploy(Deployment::Winch)?),
    ..VALIDATE
};

/// A deployment with cold caches.
fn timed(deployment: Deployment, subject: &Subject<'_>, machine: &mut dyn Machine) -> Result<Vec<u64>, MeasureError> {
    machine.chill();
    let before = counted(machine);
    let start = machine.now_ns();
    subject.contract.deploy(deployment)?;
    let took = machine.now_ns() - start;
    Ok(std::iter::once(took).chain(since(before, machine)).collect())
}

/// Each module that was made, under each strategy.
fn points(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    // What was compiled can be read.
    let levels = |artifact: &Artifact| {
        let worst = u64::from(artifact.contract == HOSTILE);
        deploy_levels(&artifact.wasm).unwrap_or_default().with(&WORST_MIX, worst)
    };
    made::points(choice, &[CONTRACT, MIXED, HOSTILE], 1, levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Limits;
    use crate::experiment::{Levels, Point};
    use crate::measure::simulated::{DEPLOYED, SimulatedRuntime, World};
    use crate::runtime::{ContractCode, MemoryLimit, NodeSettings, Runtime, RuntimeError, WasmtimeRuntime, find};
    use crate::units::Pages;

    fn code(wasm: &[u8], is_brought: bool) -> ContractCode<'_> {
        ContractCode { label: "a", wasm, entry: "touch", is_brought }
    }

    #[test]
    fn a_deployment_is_one_phase() {
        for (procedure, took) in [VALIDATE, CRANELIFT, WINCH].into_iter().zip(DEPLOYED) {
            let mut world = World::default();
            let contract = SimulatedRuntime(world.clone()).load(code(&[], true)).unwrap();
            let point = Point::default();
            let subject = Subject { contract: contract.as_ref(), point: &point };
            let values = (procedure.timed)(&subject, &mut world).unwrap();
            assert_eq!(values, [took, 0, 0], "{}", procedure.of.name);
            assert_eq!(values.len() + 1, procedure.of.values());
        }
    }

    #[test]
    fn modules_of_the_worst_mix_are_points_that_no_line_goes_through() {
        let limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };
        let artifacts = made_to_deploy(limits).unwrap();
        let (strategies, node) = (["fresh-map"], Levels::default());
        let choice = Choice {
            artifacts: &artifacts,
            strategies: &strategies,
            chain_strategy: "fresh-map",
            threads: 1,
            node: &node,
            pages_max: limits.pages_max,
        };
        let points = (VALIDATE.points)(&choice);
        let beyond = |point: &Point| VALIDATE.of.beyond_line.is_some_and(|column| column.at(point) > 0);
        assert_eq!(points.len(), artifacts.len());
        assert!(points.iter().all(|planned| beyond(&planned.point) == (planned.point.contract == HOSTILE)));
    }

    /// Every module that is made is one that both compilers take, by the settings of every kind of strategy.
    #[test]
    fn a_contract_is_deployed_again_and_again_if_it_was_kept_for_it() {
        let limits = Limits { initial_pages_max: Pages(16), pages_max: Pages(16) };
        let artifacts = made_to_deploy(limits).unwrap();
        let small = |artifact: &&Artifact| artifact.wasm.len() < 24 << 10;
        let loaded = |strategy: &str, wasm: &[u8], is_brought| {
            let runtime = WasmtimeRuntime::new(find(strategy).unwrap(), NodeSettings::new(MemoryLimit(Pages(16))));
            runtime.load(code(wasm, is_brought)).unwrap()
        };
        let all = [Deployment::Validate, Deployment::Cranelift, Deployment::Winch];
        for artifact in artifacts.iter().filter(small) {
            let contract = loaded("fresh-map", &artifact.wasm, true);
            for deployment in all {
                contract.deploy(deployment).unwrap();
            }
        }
        let least = &artifacts[0].wasm;
        for strategy in ["pool-decommit", "recycle-zero"] {
            let contract = loaded(strategy, least, true);
            for deployment in all.into_iter().chain(all) {
                contract.deploy(deployment).unwrap();
            }
        }
        let called = loaded("fresh-map", least, false).deploy(Deployment::Validate);
        assert!(matches!(called, Err(RuntimeError::NotBrought { .. })), "{called:?}");
    }
}
