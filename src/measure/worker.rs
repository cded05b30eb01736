use std::collections::BTreeMap;
use std::io;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::cycles::{Subject, Timed, timed};
use super::{Image, Machine, MeasureError, Plan, check};
use crate::contract::Artifact;
use crate::experiment::Point;
use crate::runtime::{self, ContractCode, LoadedContract, Runtime, WasmtimeRuntime};
use crate::units::WASM_PAGE;

/// What a worker tells its supervisor, one JSON object a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// It is about to run this point for the first time. A contract that never returns is known by its last such message.
    Checking {
        /// Index into the plan's points.
        point: u32,
    },
    /// Every point has run; the unrecorded warm-up begins.
    Warming,
    /// The warm-up is over. The worker now measures a round for each line `go` on its standard input.
    Warm {
        /// Nanoseconds that a round will take, by the warm-up.
        round_ns: u64,
    },
    /// A whole round, in the order in which it was measured.
    Round {
        /// Counted from 0.
        round: u32,
        /// The cycles.
        cycles: Vec<Measured>,
    },
    /// It cannot go on.
    Failed {
        /// The error with its causes.
        error: String,
    },
}

/// One cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Index into the plan's points.
    pub point: u32,
    /// The experiment's values, in the order of [`Experiment::columns`](crate::experiment::Experiment::columns).
    pub values: Vec<u64>,
}

/// Makes this process fit for measuring: it dies with its supervisor, stays on one CPU, and gets no huge pages unasked.
///
/// `turn` counts the processes that run on this machine one after the other: they take the CPUs by turns.
///
/// Huge pages would make the kernel fault 2 MiB at a time and hide the worst case. Only `recycle-huge` asks for them.
///
/// # Errors
/// The kernel refuses one of the settings.
pub fn settle(turn: u32) -> io::Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    runtime::only_where_advised()?;
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let cpus: Vec<usize> = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false)).collect();
    if let Some(&cpu) = cpus.get(turn as usize % cpus.len().max(1)) {
        let mut one = CpuSet::new();
        one.set(cpu)?;
        sched_setaffinity(Pid::from_raw(0), &one)?;
    }
    Ok(())
}

/// Makes the runtime that a plan names a strategy of, for this many threads at once.
///
/// # Errors
/// There is no such strategy.
pub fn wasmtime_runtime(plan: &Plan, strategy: &str, threads: u32) -> Result<Box<dyn Runtime>, MeasureError> {
    let strategy = runtime::find(strategy).ok_or_else(|| MeasureError::UnknownStrategy { name: strategy.into() })?;
    Ok(Box::new(WasmtimeRuntime::new(strategy, plan.node().with_slots(threads))))
}

/// Makes the runtime of the strategy of this name for a number of threads at once.
pub type RuntimeOf<'a> = dyn Fn(&str, u32) -> Result<Box<dyn Runtime>, MeasureError> + 'a;

/// What an engine is made for: a contract and variant, a strategy, and a number of threads.
type Engine<'a> = (&'a str, &'a str, &'a str, u32);

fn engine(point: &Point) -> Engine<'_> {
    (&point.contract, &point.variant, &point.strategy, point.threads())
}

/// Loads the contract of a point.
pub type LoadOf<'a> = dyn Fn(&Point) -> Result<Box<dyn LoadedContract>, MeasureError> + 'a;

/// The points of a plan with their contracts loaded, ready to be measured.
pub struct Bench<'a> {
    plan: &'a Plan,
    timed: Timed,
    contracts: BTreeMap<Engine<'a>, (Box<dyn LoadedContract>, Image)>,
    /// Whether no page can be resident before the touch, where the strategy keeps none.
    untouched: bool,
}

impl<'a> Bench<'a> {
    /// Loads every contract under every strategy that the plan names.
    ///
    /// # Errors
    /// A contract has no artifact or does not load.
    pub fn load(
        plan: &'a Plan,
        artifacts: &[Artifact],
        runtime: &RuntimeOf<'_>,
        machine: &mut dyn Machine,
    ) -> Result<Self, MeasureError> {
        let load = |point: &Point| {
            let artifact = artifacts
                .iter()
                .find(|artifact| artifact.contract == point.contract && artifact.variant == point.variant)
                .ok_or_else(|| MeasureError::NoArtifact { point: point.label() })?;
            let label = format!("{}/{}", point.contract, point.variant);
            let code = ContractCode { label: &label, wasm: &artifact.wasm, entry: &artifact.entry };
            Ok(runtime(&point.strategy, point.threads())?.load(code)?)
        };
        Ok(Self { untouched: true, ..Self::of_loaded(plan, &load, machine)? })
    }

    /// With contracts that are loaded by `load`, once for each engine. Their instantiation may write to their memory, so their touch
    /// need not fault at every page.
    ///
    /// # Errors
    /// That of `load`.
    pub fn of_loaded(plan: &'a Plan, load: &LoadOf<'_>, machine: &mut dyn Machine) -> Result<Self, MeasureError> {
        let mut contracts = BTreeMap::new();
        for planned in &plan.points {
            let point = &planned.point;
            let key = engine(point);
            if let std::collections::btree_map::Entry::Vacant(e) = contracts.entry(key) {
                let contract = load(point)?;
                let data = point.data_bytes();
                let image = machine.image(data).map_err(|source| MeasureError::Image { size: data, source })?;
                e.insert((contract, image));
            }
        }
        let experiment = plan.experiment.name;
        let timed = timed(plan.experiment).ok_or(MeasureError::NoCycle { experiment })?;
        Ok(Self { plan, timed, contracts, untouched: false })
    }

    fn contract(&self, point: u32) -> Result<(&dyn LoadedContract, &Image), MeasureError> {
        let point = &self.plan.points[point as usize].point;
        self.contracts
            .get(&engine(point))
            .map(|(contract, image)| (contract.as_ref(), image))
            .ok_or_else(|| MeasureError::NoArtifact { point: point.label() })
    }

    /// Runs every point once, unmeasured, and makes sure that its touch reaches every host page.
    ///
    /// # Errors
    /// A contract traps or does not touch what it should.
    pub fn check(&self, emit: &mut dyn FnMut(Message) -> Result<(), MeasureError>) -> Result<(), MeasureError> {
        for (index, planned) in (0u32..).zip(&self.plan.points) {
            emit(Message::Checking { point: index })?;
            check(self.contract(index)?.0, &planned.point)?;
        }
        Ok(())
    }

    /// Measures every point once, throws the cycles away, and tells how many nanoseconds a round will take.
    ///
    /// # Errors
    /// As [`Self::round`].
    pub fn warm_up(&self, machine: &mut dyn Machine) -> Result<u64, MeasureError> {
        let mut round = 0;
        for (index, planned) in (0u32..).zip(&self.plan.points) {
            let start = machine.now_ns();
            self.measure(index, machine)?;
            round += (machine.now_ns() - start) * u64::from(planned.repeats);
        }
        Ok(round)
    }

    /// Measures one round.
    ///
    /// # Errors
    /// A contract traps, the kernel refuses memory, or a touch did not take the faults that it must take.
    pub fn round(&self, process: u32, round: u32, machine: &mut dyn Machine) -> Result<Vec<Measured>, MeasureError> {
        self.plan.order(process, round).into_iter().map(|point| self.measure(point, machine)).collect()
    }

    fn measure(&self, index: u32, machine: &mut dyn Machine) -> Result<Measured, MeasureError> {
        let point = &self.plan.points[index as usize].point;
        let (contract, image) = self.contract(index)?;
        let values = (self.timed)(&Subject { contract, point, image }, machine)?;
        let every_page = runtime::find(&point.strategy).is_some_and(runtime::Strategy::every_page_faults);
        if self.untouched && every_page {
            let experiment = self.plan.experiment;
            let host_page = machine.host_page().0;
            for check in experiment.checks {
                let faults = values[experiment.counter(check.counter)];
                let pages = (point.level(check.host_pages_of) * WASM_PAGE).div_ceil(host_page);
                if faults < pages {
                    return Err(MeasureError::TouchMissing { point: point.label(), faults, pages });
                }
            }
        }
        Ok(Measured { point: index, values })
    }
}

/// The life of a worker: load, check, warm up, and measure a round whenever it is told to.
///
/// It waits before each round, so that its supervisor stores the last one while nothing is measured.
///
/// The warm-up is discarded by rule: first uses of a slot, a module or a page table cost extra.
///
/// # Errors
/// As [`Bench::load`], [`Bench::check`] and [`Bench::round`], or the supervisor is gone.
pub fn work(
    bench: &Bench<'_>,
    process: u32,
    machine: &mut dyn Machine,
    go_on: &mut dyn FnMut() -> Result<bool, MeasureError>,
    emit: &mut dyn FnMut(Message) -> Result<(), MeasureError>,
) -> Result<(), MeasureError> {
    bench.check(emit)?;
    rounds(bench, process, machine, go_on, emit)
}

/// The same without the check.
///
/// # Errors
/// As [`Bench::round`], or the supervisor is gone.
pub fn rounds(
    bench: &Bench<'_>,
    process: u32,
    machine: &mut dyn Machine,
    go_on: &mut dyn FnMut() -> Result<bool, MeasureError>,
    emit: &mut dyn FnMut(Message) -> Result<(), MeasureError>,
) -> Result<(), MeasureError> {
    emit(Message::Warming)?;
    emit(Message::Warm { round_ns: bench.warm_up(machine)? })?;
    let mut round = 0;
    while go_on()? {
        let cycles = bench.round(process, round, machine)?;
        emit(Message::Round { round, cycles })?;
        round += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::super::PlannedPoint;
    use super::super::simulated::{FAULT, INSTANTIATE, PROBE_PAGE, RESET, STORE, SimulatedRuntime, World};
    use super::*;
    use crate::contract::{ModuleFacts, Provenance};
    use crate::experiment::MEMORY;
    use crate::units::{Bytes, Pages};

    fn plan() -> Plan {
        let point = Point::of_memory("touch-memory", "pages1", "fresh-map", Pages(1));
        Plan {
            experiment: &MEMORY,
            seed: 1,
            processes: 1,
            budget: SignedDuration::from_secs(1),
            evict: Bytes(0),
            probe: super::super::PROBE,
            pages_max: Pages(2048),
            blend_from: None,
            stream_from: None,
            points: vec![PlannedPoint { point, repeats: 3 }],
        }
    }

    fn artifact() -> Artifact {
        Artifact {
            contract: "touch-memory".into(),
            variant: "pages1".into(),
            entry: "touch".into(),
            initial_pages: Pages(1),
            stack_bytes: Bytes(0),
            touched_pages: vec![Pages(1)],
            facts: ModuleFacts::read(&wat::parse_str("(module (memory 1))").unwrap()).unwrap(),
            sha256: String::new(),
            wasm: Vec::new(),
            provenance: Provenance::default(),
        }
    }

    fn life(mut world: World) -> (Result<(), MeasureError>, Vec<Message>) {
        let plan = plan();
        let runtime = world.clone();
        let bench =
            Bench::load(&plan, &[artifact()], &|_, _| Ok(Box::new(SimulatedRuntime(runtime.clone()))), &mut world)
                .unwrap();
        let mut messages = Vec::new();
        let mut rounds = 2;
        let mut go_on = || {
            rounds -= 1;
            Ok(rounds >= 0)
        };
        let result = work(&bench, 0, &mut world, &mut go_on, &mut |message| {
            messages.push(message);
            Ok(())
        });
        (result, messages)
    }

    #[test]
    fn each_phase_gets_its_own_time_and_no_other() {
        let (result, messages) = life(World::default());
        result.unwrap();
        let phases = [INSTANTIATE, 16 * (FAULT + STORE), 16 * STORE, RESET];
        let values = phases.into_iter().chain([16 * PROBE_PAGE, 16]).collect();
        let cycles = vec![Measured { point: 0, values }; 3];
        let round = |round| Message::Round { round, cycles: cycles.clone() };
        assert!(matches!(messages[..3], [Message::Checking { point: 0 }, Message::Warming, Message::Warm { .. }]));
        assert_eq!(messages[3..], [round(0), round(1)]);
    }

    #[test]
    fn a_touch_that_leaves_a_page_out_is_an_error_before_anything_is_measured() {
        let world = World::default();
        world.lazy.set(1);
        let (result, messages) = life(world);
        assert!(matches!(result, Err(MeasureError::PageUntouched { address: 0xf000, .. })), "{result:?}");
        assert_eq!(messages.len(), 1);
    }

    #[test]
    fn a_touch_without_its_faults_is_an_error_and_no_fast_sample() {
        let mut world = World::default();
        let plan = plan();
        let runtime = world.clone();
        let bench =
            Bench::load(&plan, &[artifact()], &|_, _| Ok(Box::new(SimulatedRuntime(runtime.clone()))), &mut world)
                .unwrap();
        world.lazy.set(1);
        let result = bench.round(0, 0, &mut world);
        assert!(matches!(result, Err(MeasureError::TouchMissing { faults: 15, pages: 16, .. })), "{result:?}");
    }

    /// One that several strategies share is read more often than their modules' own, and is the warmer for it.
    #[test]
    fn every_module_has_a_probe_image_of_its_own() {
        let world = World::default();
        let mut plan = plan();
        plan.points.push(plan.points[0].clone());
        let mut other = plan.points[0].clone();
        other.point.strategy = "pool-decommit".into();
        plan.points.push(other);
        let runtime = |_: &str, _| Ok(Box::new(SimulatedRuntime(world.clone())) as Box<dyn Runtime>);
        Bench::load(&plan, &[artifact()], &runtime, &mut world.clone()).unwrap();
        assert_eq!(world.images.get(), 2, "three points, two engines");
    }

    #[test]
    fn a_variant_without_artifact_is_named() {
        let world = World::default();
        let plan = plan();
        let result = Bench::load(&plan, &[], &|_, _| Ok(Box::new(SimulatedRuntime(world.clone()))), &mut world.clone());
        assert!(result.err().unwrap().to_string().contains("touch-memory/pages1"));
    }
}
