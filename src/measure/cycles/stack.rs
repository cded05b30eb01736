use super::{Choice, WorkProcedure, point};
use crate::experiment::stack::{DEPTH, ENGINE, Engine, HEIGHT, ORIGIN, Origin, STACK};
use crate::experiment::{Levels, Point};
use crate::measure::work::Work;
use crate::measure::{MeasureError, Plan, PlannedPoint};
use crate::runtime::{Fiber, Fibers, Interpreter, NESTED, Nesting, OldInterpreter, RuntimeError};
use crate::units::Bytes;

pub(super) const WORK: WorkProcedure = WorkProcedure { of: &STACK, points, ready };

/// Where each engine can take a stack from.
const ORIGINS: [(Engine, &[Origin]); 3] = [
    (Engine::Wasmtime, &[Origin::Fresh, Origin::Recycled, Origin::Decommitted, Origin::Zeroed, Origin::Host]),
    (Engine::Wasmi, &[Origin::Fresh, Origin::Recycled]),
    (Engine::OldWasmi, &[Origin::Fresh, Origin::Recycled]),
];

/// Heights with the depths that are used of them: a small stack, and Wasmtime's default.
const HEIGHTS: [(u64, &[u64]); 2] =
    [(128 << 10, &[0, 16 << 10]), (2 << 20, &[0, 16 << 10, 64 << 10, 256 << 10, 512 << 10])];

fn points(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    /// Most calls take less than what is around them.
    const REPEATS: u32 = 4;
    let mut points = Vec::new();
    for (engine, origins) in ORIGINS {
        for &origin in origins {
            for (height, depths) in HEIGHTS {
                for &depth in depths {
                    let variant = format!("{engine}-{origin}-{}KiB-{}KiB-used", height >> 10, depth >> 10);
                    let levels = Levels::default().with(&ORIGIN, origin as u64).with(&ENGINE, engine as u64);
                    let levels = levels.with(&HEIGHT, height).with(&DEPTH, depth);
                    points.push(PlannedPoint { point: point(choice, &STACK, variant, levels), repeats: REPEATS });
                }
            }
        }
    }
    points
}

fn ready(_: &Plan, point: &Point) -> Result<Box<dyn Work>, MeasureError> {
    let nested = u32::try_from(point.level(&DEPTH) / NESTED.0).unwrap_or(u32::MAX);
    Ok(Box::new(Call { nesting: nesting(point)?, nested }))
}

/// The engine of a point, with stacks that are as high as it says and come from where it says.
fn nesting(point: &Point) -> Result<Box<dyn Nesting>, RuntimeError> {
    let height = Bytes(point.level(&HEIGHT));
    let kept = |origin: Origin| usize::from(origin != Origin::Fresh);
    Ok(match (point.engine(), point.origin()) {
        (Engine::Wasmi, origin) => Box::new(Interpreter::new(height, kept(origin))?),
        (Engine::OldWasmi, origin) => Box::new(OldInterpreter::new(height, kept(origin))?),
        (Engine::Wasmtime, origin) => {
            let fiber = match origin {
                Origin::Fresh => Fiber::OnDemand,
                Origin::Recycled => Fiber::Pooled,
                Origin::Decommitted => Fiber::Zeroed(Bytes(0)),
                Origin::Zeroed => Fiber::Zeroed(height),
                Origin::Host => Fiber::None,
            };
            Box::new(Fibers::new(fiber, height)?)
        }
    })
}

/// A call with others nested in it.
struct Call {
    nesting: Box<dyn Nesting>,
    nested: u32,
}

impl Work for Call {
    fn once(&mut self, lap: &mut dyn FnMut()) -> Result<(), MeasureError> {
        Ok(self.nesting.call(self.nested, lap)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Counting, HostMachine, Machine};

    /// A fresh stack of an interpreter is allocated for each call, and a recycled one is not.
    #[test]
    fn a_stack_that_is_kept_is_not_allocated_again() {
        const HIGH: u64 = 2 << 20;
        let allocated = |engine: Engine, origin: Origin| {
            let levels = Levels::default().with(&ENGINE, engine as u64).with(&ORIGIN, origin as u64);
            let mut call = ready_for(&Point { levels: levels.with(&HEIGHT, HIGH), ..Point::default() });
            call.once(&mut || {}).unwrap();
            let counting = Counting::begin();
            call.once(&mut || {}).unwrap();
            counting.end().bytes
        };
        for engine in [Engine::Wasmi, Engine::OldWasmi] {
            let [fresh, recycled] = [Origin::Fresh, Origin::Recycled].map(|origin| allocated(engine, origin));
            assert!(fresh >= HIGH && recycled < HIGH, "{engine}: {fresh} and {recycled}");
        }
    }

    /// All of a stack is written when it is made, or what is used of it when that is used.
    #[test]
    fn the_old_interpreter_writes_a_whole_stack_and_the_new_one_does_not() {
        let faults = |engine: Engine| {
            let levels = Levels::default().with(&ENGINE, engine as u64).with(&HEIGHT, 32 << 20);
            let mut call = ready_for(&Point { levels, ..Point::default() });
            let machine = HostMachine::new(Bytes(0));
            let before = machine.minor_faults();
            call.once(&mut || {}).unwrap();
            machine.minor_faults() - before
        };
        let (old, new) = (faults(Engine::OldWasmi), faults(Engine::Wasmi));
        // Huge pages, where there are some, fault 2 MiB at a time.
        assert!(old >= 16 + new, "{old} and {new}");
    }

    /// What is left of a stack that is kept is written over by hand, and what is given back faults again.
    #[test]
    fn stacks_that_are_kept_do_not_fault_again() {
        let faults = |origin: Origin| {
            let levels = Levels::default().with(&ORIGIN, origin as u64).with(&DEPTH, 512 << 10);
            let mut call = ready_for(&Point { levels, ..Point::default() });
            let machine = HostMachine::new(Bytes(0));
            (0..3).for_each(|_| call.once(&mut || {}).unwrap());
            let before = machine.minor_faults();
            call.once(&mut || {}).unwrap();
            machine.minor_faults() - before
        };
        let [fresh, recycled, decommitted, zeroed] =
            [Origin::Fresh, Origin::Recycled, Origin::Decommitted, Origin::Zeroed].map(faults);
        // 512 KiB are 128 pages.
        assert!(fresh >= 128 && decommitted >= 128, "{fresh}, {decommitted}");
        assert!(recycled < 128 && zeroed < 128, "{recycled}, {zeroed}");
    }

    fn ready_for(point: &Point) -> Box<dyn Work> {
        let nested = u32::try_from(point.level(&DEPTH) / NESTED.0).unwrap();
        Box::new(Call { nesting: nesting(point).unwrap(), nested })
    }
}
