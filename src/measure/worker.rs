//! What worker processes do.

use std::io;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::bench::{Bench, Emit};
use super::message::Message;
use super::{Machine, MeasureError};
use crate::experiment::Point;
use crate::runtime;
use crate::text::with_causes;

/// Makes this process fit for measuring: it dies with its supervisor, stays on one CPU, and gets no huge pages unasked.
///
/// `turn` counts the processes that run on this machine one after the other: they take the CPUs by turns. One that measures nothing
/// has none, and stays on no CPU.
///
/// Huge pages would make the kernel fault 2 MiB at a time and hide the worst case. Only strategies that say so ask for them.
///
/// # Errors
/// The kernel refuses one of the settings.
pub fn prepare_process(turn: Option<u32>) -> io::Result<()> {
    set_pdeathsig(Signal::SIGKILL)?;
    runtime::only_where_advised()?;
    let Some(turn) = turn else { return Ok(()) };
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let cpus: Vec<usize> = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false)).collect();
    if let Some(&cpu) = cpus.get(turn as usize % cpus.len().max(1)) {
        let mut one = CpuSet::new();
        one.set(cpu)?;
        sched_setaffinity(Pid::from_raw(0), &one)?;
    }
    Ok(())
}

/// The life of a worker whose contracts are loaded: warm up, and measure a round whenever it is told to. What it measures was checked by the
/// process that [prepared](prepare()) the run.
///
/// It waits before each round, so that its supervisor stores the last one while nothing is measured.
///
/// The warm-up is discarded by rule: first uses of a slot, a module or a page table cost extra.
///
/// # Errors
/// As [`Bench::round`], or the supervisor is gone.
pub fn rounds(
    bench: &Bench<'_>,
    process: u32,
    machine: &mut dyn Machine,
    go_on: &mut dyn FnMut() -> Result<bool, MeasureError>,
    emit: &mut Emit<'_>,
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

/// Loads, checks and measures all points once, strategy by strategy, in the order of the plan and each beside those before it, as
/// a worker that measures has them. Nothing is recorded.
///
/// A strategy other than the `needed` one that cannot be set up is told and let go of.
///
/// # Errors
/// As [`Bench::check`] and [`Bench::round`], for a contract that is at fault or where the needed strategy cannot be set up.
pub fn prepare(
    bench: &mut Bench<'_>,
    needed: &str,
    machine: &mut dyn Machine,
    emit: &mut Emit<'_>,
) -> Result<(), MeasureError> {
    let mut strategies: Vec<&str> = Vec::new();
    for (_, point) in bench.points(&|_| true) {
        if !strategies.contains(&&*point.strategy) {
            strategies.push(&point.strategy);
        }
    }
    let mut unfit: Vec<&str> = Vec::new();
    for strategy in strategies {
        let own = |point: &Point| point.strategy == strategy;
        let mut attempt = || {
            bench.load(&own, machine, emit)?;
            bench.check(&own, emit)?;
            emit(Message::Warming)?;
            bench.once(&own, machine).map(drop)
        };
        match attempt() {
            Err(error @ MeasureError::Runtime(_)) if strategy != needed => {
                unfit.push(strategy);
                bench.keep(&|point| !unfit.contains(&&*point.strategy));
                emit(Message::Unfit { strategy: strategy.into(), reason: with_causes(&error) })?;
            }
            result => result?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::super::bench::loading;
    use super::super::message::Measured;
    use super::super::simulated::{FAULT, INSTANTIATE, PROBE_PAGE, RESET, STORE, SimulatedRuntime, World};
    use super::super::watch::Marks;
    use super::super::{Plan, PlannedPoint};
    use super::*;
    use crate::contract::{Artifact, ModuleFacts, Provenance};
    use crate::experiment::conditions::{PREVIOUS, WRITE_WIDTH};
    use crate::experiment::node::MODULES;
    use crate::experiment::{MEMORY, Previous, WriteWidth};
    use crate::runtime::Runtime;
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
            keep_resident: None,
            pool_slots: 1,
            blend_from: None,
            stream_from: None,
            track_from: None,
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

    /// What is done on a bench with the contracts of the plan.
    fn loaded<T>(
        plan: &Plan,
        artifacts: &[Artifact],
        world: &World,
        done: impl FnOnce(&Bench<'_>) -> T,
    ) -> Result<T, MeasureError> {
        let runtime = |_: &str, _| Ok(Box::new(SimulatedRuntime(world.clone())) as Box<dyn Runtime>);
        let load = loading(plan.experiment, artifacts, &runtime);
        let mut bench = Bench::new(plan, &load, Marks::default());
        bench.load(&|_| true, &mut world.clone(), &mut |_| Ok(()))?;
        Ok(done(&bench))
    }

    fn life(world: &World) -> (Result<(), MeasureError>, Vec<Message>) {
        let plan = plan();
        let mut messages = Vec::new();
        let mut left = 2;
        let mut go_on = || {
            left -= 1;
            Ok(left >= 0)
        };
        let mut emit = |message| {
            messages.push(message);
            Ok(())
        };
        let life = |bench: &Bench<'_>| rounds(bench, 0, &mut world.clone(), &mut go_on, &mut emit);
        let result = loaded(&plan, &[artifact()], world, life).unwrap();
        (result, messages)
    }

    #[test]
    fn each_phase_gets_its_own_time_and_no_other() {
        let (result, messages) = life(&World::default());
        result.unwrap();
        let phases = [INSTANTIATE, 16 * (FAULT + STORE), 16 * STORE, RESET];
        let values = phases.into_iter().chain([16 * PROBE_PAGE, 16, 0]).collect();
        let cycles = vec![Measured { point: 0, values }; 3];
        let round = |round| Message::Round { round, cycles: cycles.clone() };
        assert!(matches!(messages[..2], [Message::Warming, Message::Warm { .. }]));
        assert_eq!(messages[2..], [round(0), round(1)]);
    }

    #[test]
    fn a_touch_that_leaves_a_page_out_is_an_error_before_anything_is_measured() {
        let world = World::default();
        let (plan, artifacts) = (plan(), [artifact()]);
        let runtime = |_: &str, _| Ok(Box::new(SimulatedRuntime(world.clone())) as Box<dyn Runtime>);
        let load = loading(plan.experiment, &artifacts, &runtime);
        let mut bench = Bench::new(&plan, &load, Marks::default());
        world.lazy.set(1);
        let mut messages = Vec::new();
        let mut emit = |message| {
            messages.push(message);
            Ok(())
        };
        let result = prepare(&mut bench, "fresh-map", &mut world.clone(), &mut emit);
        assert!(matches!(result, Err(MeasureError::PageUntouched { address: 0xf000, .. })), "{result:?}");
        assert!(
            matches!(messages[..], [Message::Loading { point: 0 }, Message::Checking { point: 0 }]),
            "{messages:?}"
        );
    }

    #[test]
    fn a_touch_without_its_faults_is_an_error_and_no_fast_sample() {
        let world = World::default();
        let round = |bench: &Bench<'_>| {
            world.lazy.set(1);
            bench.round(0, 0, &mut world.clone())
        };
        let result = loaded(&plan(), &[artifact()], &world, round).unwrap();
        assert!(matches!(result, Err(MeasureError::TouchMissing { faults: 15, pages: 16, .. })), "{result:?}");
    }

    /// Contracts that are loaded beside the cycles take their time once a round, and not once for each cycle.
    #[test]
    fn the_warm_up_tells_how_long_a_round_takes() {
        let world = World::default();
        let mut plan = plan();
        let usual = plan.points[0].point.clone();
        for width in [WriteWidth::HostPage, WriteWidth::EveryByte] {
            let met = usual.clone().with(&MODULES, 20).with(&PREVIOUS, Previous::Dirty as u64);
            plan.points.push(PlannedPoint { point: met.with(&WRITE_WIDTH, width as u64), repeats: 5 });
        }
        let took = |bench: &Bench<'_>| {
            let told = bench.warm_up(&mut world.clone()).unwrap();
            let start = world.now_ns();
            bench.round(0, 0, &mut world.clone()).unwrap();
            (told, world.now_ns() - start)
        };
        let (told, taken) = loaded(&plan, &[artifact()], &world, took).unwrap();
        assert_eq!(told, taken);
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
        loaded(&plan, &[artifact()], &world, |_| ()).unwrap();
        assert_eq!(world.images.get(), 2, "three points, two engines");
    }

    #[test]
    fn a_variant_without_artifact_is_named() {
        let world = World::default();
        let plan = plan();
        let result = loaded(&plan, &[], &world, |_| ());
        assert!(result.err().unwrap().to_string().contains("touch-memory/pages1"));
    }
}
