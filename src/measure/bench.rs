//! The points of a plan with their contracts loaded: what one worker process measures.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::cycles::{Subject, timed};
use super::message::{Measured, Message};
use super::watch::Marks;
use super::{Image, Machine, MeasureError, Plan, check};
use crate::contract::Artifact;
use crate::experiment::Point;
use crate::runtime::{self, ContractCode, LoadedContract, Runtime, WasmtimeRuntime};
use crate::units::WASM_PAGE;

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

/// Loads the contract of a point.
pub type LoadOf<'a> = dyn Fn(&Point) -> Result<Box<dyn LoadedContract>, MeasureError> + 'a;

/// What loads the contracts of a plan: these artifacts, by the runtimes of their strategies.
pub fn loading<'l>(
    artifacts: &'l [Artifact],
    runtime: &'l RuntimeOf<'l>,
) -> impl Fn(&Point) -> Result<Box<dyn LoadedContract>, MeasureError> + 'l {
    move |point| {
        let artifact = artifacts
            .iter()
            .find(|artifact| artifact.contract == point.contract && artifact.variant == point.variant)
            .ok_or_else(|| MeasureError::NoArtifact { point: point.label() })?;
        let label = format!("{}/{}", point.contract, point.variant);
        let code = ContractCode { label: &label, wasm: &artifact.wasm, entry: &artifact.entry };
        Ok(runtime(&point.strategy, point.threads())?.load(code)?)
    }
}

/// How many contracts are loaded for a plan: one for each engine.
pub(super) fn engines(plan: &Plan) -> usize {
    plan.points.iter().map(|planned| engine(&planned.point)).collect::<BTreeSet<_>>().len()
}

/// The points of a plan with their contracts loaded, ready to be measured.
pub struct Bench<'a> {
    plan: &'a Plan,
    contracts: BTreeMap<Engine<'a>, (Box<dyn LoadedContract>, Image)>,
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
    pub fn new(plan: &'a Plan, marks: Marks) -> Self {
        Self { plan, contracts: BTreeMap::new(), untouched: true, marks }
    }

    /// For contracts whose instantiation may write to their memory, so that their touch need not fault at every page.
    #[must_use]
    pub fn of_foreign(self) -> Self {
        Self { untouched: false, ..self }
    }

    /// Loads the contracts of the points that are `wanted`, once for each engine.
    ///
    /// # Errors
    /// That of `load`; or the kernel refuses the image of the probe.
    pub fn load(
        &mut self,
        wanted: &dyn Fn(&Point) -> bool,
        load: &LoadOf<'_>,
        machine: &mut dyn Machine,
        emit: &mut Emit<'_>,
    ) -> Result<(), MeasureError> {
        for (index, point) in self.points(wanted) {
            if let Entry::Vacant(e) = self.contracts.entry(engine(point)) {
                emit(Message::Loading { point: index })?;
                self.marks.at(index);
                let contract = load(point)?;
                let data = point.data_bytes();
                let image = machine.image(data).map_err(|source| MeasureError::Image { size: data, source })?;
                e.insert((contract, image));
            }
        }
        Ok(())
    }

    /// Lets go of the contracts of the points that are not `wanted`.
    pub(super) fn keep(&mut self, wanted: &dyn Fn(&Point) -> bool) {
        let kept: BTreeSet<_> = self.points(wanted).into_iter().map(|(_, point)| engine(point)).collect();
        self.contracts.retain(|engine, _| kept.contains(engine));
    }

    pub(super) fn points(&self, wanted: &dyn Fn(&Point) -> bool) -> Vec<(u32, &'a Point)> {
        let all = (0u32..).zip(&self.plan.points).map(|(index, planned)| (index, &planned.point));
        all.filter(|(_, point)| wanted(point)).collect()
    }

    fn contract(&self, point: u32) -> Result<(&dyn LoadedContract, &Image), MeasureError> {
        let point = &self.plan.points[point as usize].point;
        self.contracts
            .get(&engine(point))
            .map(|(contract, image)| (contract.as_ref(), image))
            .ok_or_else(|| MeasureError::NoArtifact { point: point.label() })
    }

    /// Runs every `wanted` point once, unmeasured, and makes sure that its touch reaches every host page.
    ///
    /// # Errors
    /// A contract traps or does not touch what it should.
    pub fn check(&self, wanted: &dyn Fn(&Point) -> bool, emit: &mut Emit<'_>) -> Result<(), MeasureError> {
        for (index, point) in self.points(wanted) {
            emit(Message::Checking { point: index })?;
            self.marks.at(index);
            check(self.contract(index)?.0, point)?;
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

    pub(super) fn measure(&self, index: u32, machine: &mut dyn Machine) -> Result<Measured, MeasureError> {
        self.marks.at(index);
        let point = &self.plan.points[index as usize].point;
        let (contract, image) = self.contract(index)?;
        let experiment = self.plan.experiment;
        let timed = timed(experiment).ok_or(MeasureError::NoCycle { experiment: experiment.name })?;
        let values = timed(&Subject { contract, point, image, marked: &|| self.marks.at(index) }, machine)?;
        let every_page = runtime::find(&point.strategy).is_some_and(runtime::Strategy::every_page_faults);
        if self.untouched && every_page {
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
