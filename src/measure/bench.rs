//! The points of a plan with their contracts loaded: what one worker process measures.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cycles::brings;
use super::faults::least_of;
use super::loaded::{LoadOf, Loaded};
use super::message::{Measured, Message};
use super::surroundings::{Callee, Contracts, Surroundings};
use super::watch::Marks;
use super::{Image, Machine, MeasureError, Plan};
use crate::contract::Artifact;
use crate::experiment::conditions::THREADS;
use crate::experiment::memory::TOUCHED_PAGES;
use crate::experiment::node::{CALLING_THREADS, MODULES};
use crate::experiment::{Experiment, Levels, Point, Previous, Source};
use crate::runtime::{self, ContractCode, LoadedContract, Runtime, WasmtimeRuntime, recycle};
use crate::units::Pages;

/// Makes the runtime that a plan names a strategy of, for this many threads at once.
///
/// # Errors
/// There is no such strategy.
pub fn wasmtime_runtime(plan: &Plan, strategy: &str, threads: u32) -> Result<WasmtimeRuntime, MeasureError> {
    let strategy = runtime::find(strategy).ok_or_else(|| MeasureError::UnknownStrategy { name: strategy.into() })?;
    Ok(WasmtimeRuntime::new(strategy, plan.node().with_slots(threads)))
}

/// Makes the runtime of the strategy of this name for a number of threads at once.
pub type RuntimeOf<'a> = dyn Fn(&str, u32) -> Result<Box<dyn Runtime>, MeasureError> + 'a;

/// What an engine is made for: a contract and variant, a strategy, and a number of threads.
type Engine<'a> = (&'a str, &'a str, &'a str, u32);

fn engine(point: &Point) -> Engine<'_> {
    (&point.contract, &point.variant, &point.strategy, point.threads())
}

/// What loads the contracts of an experiment: these artifacts, by the runtimes of their strategies.
pub fn loading<'l>(
    experiment: &'static Experiment,
    artifacts: &'l [Artifact],
    runtime: &'l RuntimeOf<'l>,
) -> impl Fn(&Point) -> Result<Box<dyn LoadedContract>, MeasureError> + 'l {
    let is_brought = brings(experiment);
    move |point| {
        let artifact = artifacts
            .iter()
            .find(|artifact| artifact.contract == point.contract && artifact.variant == point.variant)
            .ok_or_else(|| MeasureError::NoArtifact { point: point.label() })?;
        let label = format!("{}/{}", point.contract, point.variant);
        let code = ContractCode { label: &label, wasm: &artifact.wasm, entry: &artifact.entry, is_brought };
        Ok(runtime(&point.strategy, point.threads())?.load(code)?)
    }
}

/// Cycles that are not recorded at the start of a block.
const SETTLING: u32 = 2;

/// Whether a contract is such as most real ones are, for a process that has others beside the measured one.
fn is_ordinary(point: &Point) -> bool {
    const LARGEST: Pages = Pages(64);
    point.initial_pages() <= LARGEST && point.touched_pages() == point.initial_pages()
}

/// How many contracts are loaded for a plan: one for each engine.
pub(super) fn engines(plan: &Plan) -> usize {
    plan.points.iter().map(|planned| engine(&planned.point)).collect::<BTreeSet<_>>().len()
}

/// The points of a plan with their contracts loaded, ready to be measured.
pub struct Bench<'a> {
    plan: &'a Plan,
    load: &'a LoadOf<'a>,
    loaded: BTreeMap<Engine<'a>, (Loaded, Image)>,
    /// Whether no page can be resident before the touch, where the strategy keeps none.
    untouched: bool,
    /// Where it marks the point that it is at.
    marks: Marks,
}

/// Takes what a worker has to say.
pub type Emit<'e> = dyn FnMut(Message) -> Result<(), MeasureError> + 'e;

impl<'a> Bench<'a> {
    /// With nothing loaded yet.
    #[must_use]
    pub fn new(plan: &'a Plan, load: &'a LoadOf<'a>, marks: Marks) -> Self {
        Self { plan, load, loaded: BTreeMap::new(), untouched: true, marks }
    }

    /// For contracts whose instantiation may write to their memory, so that their touch need not fault at every page.
    #[must_use]
    pub fn of_foreign(self) -> Self {
        Self { untouched: false, ..self }
    }

    /// Loads the contracts of the points that are `wanted`, once for each engine.
    ///
    /// # Errors
    /// A contract cannot be loaded; or the kernel refuses the image of the probe.
    pub fn load(
        &mut self,
        wanted: &dyn Fn(&Point) -> bool,
        machine: &mut dyn Machine,
        emit: &mut Emit<'_>,
    ) -> Result<(), MeasureError> {
        for (index, point) in self.points(wanted) {
            if let Entry::Vacant(e) = self.loaded.entry(engine(point)) {
                emit(Message::Loading { point: index })?;
                self.marks.at(index);
                let loaded = Loaded::new(self.plan, point, self.load)?;
                let data = point.data_bytes();
                let image = machine.image(data).map_err(|source| MeasureError::Image { size: data, source })?;
                e.insert((loaded, image));
            }
        }
        Ok(())
    }

    /// Lets go of the contracts of the points that are not `wanted`.
    pub(super) fn keep(&mut self, wanted: &dyn Fn(&Point) -> bool) {
        let kept: BTreeSet<_> = self.points(wanted).into_iter().map(|(_, point)| engine(point)).collect();
        self.loaded.retain(|engine, _| kept.contains(engine));
    }

    pub(super) fn points(&self, wanted: &dyn Fn(&Point) -> bool) -> Vec<(u32, &'a Point)> {
        let all = (0u32..).zip(&self.plan.points).map(|(index, planned)| (index, &planned.point));
        all.filter(|(_, point)| wanted(point)).collect()
    }

    fn loaded(&self, point: u32) -> Result<&(Loaded, Image), MeasureError> {
        let point = self.point(point);
        self.loaded.get(&engine(point)).ok_or_else(|| MeasureError::NoArtifact { point: point.label() })
    }

    /// Runs every `wanted` point once, unmeasured, and makes sure that its touch reaches every host page.
    ///
    /// # Errors
    /// A contract traps or does not touch what it should.
    pub fn check(&self, wanted: &dyn Fn(&Point) -> bool, emit: &mut Emit<'_>) -> Result<(), MeasureError> {
        for (index, point) in self.points(wanted) {
            emit(Message::Checking { point: index })?;
            self.marks.at(index);
            self.loaded(index)?.0.check(self.plan.experiment, point)?;
        }
        Ok(())
    }

    /// Measures every point once, throws the cycles away, and tells how many nanoseconds a round will take.
    ///
    /// # Errors
    /// As [`Self::round`].
    pub fn warm_up(&self, machine: &mut dyn Machine) -> Result<u64, MeasureError> {
        self.once(&|_| true, machine)
    }

    /// The same for the points that are `wanted`.
    pub(super) fn once(&self, wanted: &dyn Fn(&Point) -> bool, machine: &mut dyn Machine) -> Result<u64, MeasureError> {
        let order: Vec<u32> = self.plan.once().into_iter().filter(|&index| wanted(self.point(index))).collect();
        let mut round = 0;
        for block in self.blocks(&order) {
            // What comes after an unlike tenant takes that tenant's time, and is warm when it was measured in the usual surroundings.
            let dear = self.point(block[0]).previous() != Previous::Same;
            let tried = if dear { &block[..block.len().min(2)] } else { block };
            let start = machine.now_ns();
            // What is beside the cycles is set up once, however often they repeat.
            let (mut once, mut repeated) = (0, 0);
            self.block(tried, machine, &mut |index, time| {
                once += time;
                repeated += time * u64::from(self.plan.points[index as usize].repeats);
            })?;
            round += machine.now_ns() - start - once + repeated * block.len() as u64 / tried.len() as u64;
        }
        Ok(round)
    }

    /// Measures one round.
    ///
    /// # Errors
    /// A contract traps, the kernel refuses memory, or a touch did not take the faults that it must take.
    pub fn round(&self, process: u32, round: u32, machine: &mut dyn Machine) -> Result<Vec<Measured>, MeasureError> {
        let order = self.plan.order(process, round);
        let mut cycles = Vec::with_capacity(order.len());
        for block in self.blocks(&order) {
            cycles.extend(self.block(block, machine, &mut |_, _| {})?);
        }
        Ok(cycles)
    }

    fn point(&self, index: u32) -> &'a Point {
        &self.plan.points[index as usize].point
    }

    fn blocks<'o>(&self, order: &'o [u32]) -> impl Iterator<Item = &'o [u32]> {
        order.chunk_by(|&a, &b| Plan::block(self.point(a)) == Plan::block(self.point(b)))
    }

    /// Measures points that share their surroundings, one after the other.
    ///
    /// The probe has nothing beside it, whatever the cycle has: one reference machine is then that of every process. That of a small cycle comes right
    /// after it; that of a large one after the next, another size as a rule: right after its own it would be handed the pages that have just
    /// been given back, which the shared cache still holds or not as the neighbours leave it, and move by a fifth where the cycle does not. `took` hears how many
    /// nanoseconds each point took, apart from what is set up for all of them; of one whose probe comes later, twice.
    fn block(
        &self,
        block: &[u32],
        machine: &mut dyn Machine,
        took: &mut dyn FnMut(u32, u64),
    ) -> Result<Vec<Measured>, MeasureError> {
        let Some(&first) = block.first() else { return Ok(Vec::new()) };
        self.marks.at(first);
        let small = Plan::block(self.point(first)).small;
        let apart = self.point(first).levels.of_source(Source::Process) != Levels::default();
        let beside = self.surroundings(first)?;
        // The first of them comes after its like too, and not after whatever the last block left.
        if small && self.point(first).previous() == Previous::Same {
            for _ in 0..SETTLING {
                self.measure(first, machine)?;
            }
        }
        let mut cycles: Vec<Measured> = Vec::with_capacity(block.len());
        let mut probed = 0;
        for &index in block {
            let start = machine.now_ns();
            cycles.push(self.measure(index, machine)?);
            let due = if apart { 0 } else { cycles.len() - usize::from(!small) };
            for cycle in &mut cycles[probed..due] {
                self.probe(cycle, machine)?;
            }
            probed = due;
            took(index, machine.now_ns() - start);
        }
        beside.end()?;
        for cycle in &mut cycles[probed..] {
            let start = machine.now_ns();
            self.probe(cycle, machine)?;
            took(cycle.point, machine.now_ns() - start);
        }
        Ok(cycles)
    }

    /// What is beside the points of a block, of which this is one.
    fn surroundings(&self, index: u32) -> Result<Surroundings, MeasureError> {
        let point = self.point(index);
        let mut contracts = Contracts::default();
        if point.threads() > 1
            && let (Loaded::Contract(contract), _) = self.loaded(index)?
        {
            let callee: Callee = (Arc::clone(contract), point.touched_pages().bytes());
            contracts.at_once = vec![callee; point.threads() as usize - 1];
        }
        let (calling, loaded) = (point.level(&CALLING_THREADS), point.level(&MODULES));
        if calling + loaded > 0 {
            let own = |other: &Point| other.strategy == point.strategy && other.is_undisturbed() && is_ordinary(other);
            let mut ordinary: Vec<&Point> = self.points(&own).into_iter().map(|(_, point)| point).collect();
            ordinary.sort_by_key(|point| point.initial_pages());
            ordinary.dedup_by_key(|point| point.initial_pages());
            if calling > 0 {
                let load = |point: &&Point| {
                    let contract = (self.load)(&(*point).clone().with(&THREADS, calling.max(2)))?;
                    Ok((contract.into(), point.touched_pages().bytes()))
                };
                contracts.called = ordinary.iter().map(load).collect::<Result<_, MeasureError>>()?;
            }
            let others = ordinary.iter().cycle().take(usize::try_from(loaded).unwrap_or(usize::MAX));
            let load = |point: &&Point| Ok((self.load)(point)?.into());
            contracts.loaded = others.map(load).collect::<Result<_, MeasureError>>()?;
        }
        Surroundings::new(&point.levels, contracts)
    }

    pub(super) fn measure(&self, index: u32, machine: &mut dyn Machine) -> Result<Measured, MeasureError> {
        self.marks.at(index);
        let (point, experiment) = (self.point(index), self.plan.experiment);
        let untracked = recycle::untracked();
        let mut values = self.loaded(index)?.0.timed(experiment, point, machine)?;
        if recycle::untracked() > untracked {
            return Err(MeasureError::Untracked { point: point.label() });
        }
        if let Some(probe) = experiment.probe() {
            values.insert(probe, 0);
        }
        if self.untouched {
            let host_page = machine.host_page().0;
            for check in experiment.checks {
                let (faults, pages) = (values[experiment.counter(check.counter)], least_of(check, point, host_page));
                if faults < pages {
                    return Err(MeasureError::TouchMissing { point: point.label(), faults, pages });
                }
            }
        }
        Ok(Measured { point: index, values })
    }

    /// Measures the reference probe of a cycle. Where the experiment has none it is not recorded: it keeps small calls as far apart as in one
    /// that has, since the time between them is part of what they cost (docs/process.md).
    ///
    /// After the cycle: before it, the probe would leave the kernel just as many pages to hand out, fresh in the caches.
    fn probe(&self, cycle: &mut Measured, machine: &mut dyn Machine) -> Result<(), MeasureError> {
        let experiment = self.plan.experiment;
        let point = self.point(cycle.point);
        if experiment.reference.is_none() && !Plan::block(point).small {
            return Ok(());
        }
        let (_, image) = self.loaded(cycle.point)?;
        let touches = experiment.reference.as_ref().map_or(&TOUCHED_PAGES, |reference| reference.touches);
        let length = Pages(u32::try_from(point.level(touches)).unwrap_or(u32::MAX)).bytes();
        self.marks.at(cycle.point);
        machine.chill();
        let start = machine.now_ns();
        machine.probe(length, image).map_err(|source| MeasureError::Probe { length, source })?;
        if let Some(value) = experiment.probe() {
            cycle.values[value] = machine.now_ns() - start;
        }
        Ok(())
    }
}
