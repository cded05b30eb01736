use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use jiff::SignedDuration;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::contract::Artifact;
use crate::experiment::memory::{DATA_BYTES, INITIAL_PAGES, STACK_BYTES, TOUCHED_PAGES};
use crate::experiment::{Column, Experiment, Factor, Levels, Point};
use crate::runtime::{Known, MemoryLimit, NodeSettings, Thresholds};
use crate::units::{Bytes, Pages};

/// What is measured, in which order and for how long: fixed before the first sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// What the points are for.
    pub experiment: &'static Experiment,
    /// Seeds every shuffle.
    pub seed: u64,
    /// Worker processes over all shards. Address layout differs by process, so several are needed to average over it.
    pub processes: u32,
    /// Time for measuring, over all processes.
    pub budget: SignedDuration,
    /// Bytes written before a cycle and before a probe to make the caches cold.
    pub evict: Bytes,
    /// Which definition of the reference probe is beside the cycles: [`PROBE`](super::PROBE) of the version that measured.
    pub probe: u32,
    /// Most pages that a contract may hold.
    pub pages_max: Pages,
    /// What a pool keeps of each memory between calls; absent for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_resident: Option<Bytes>,
    /// Memories of a pool.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub pool_slots: u32,
    /// From which size on `recycle-adaptive` wipes half by reading and half past the caches, as measured on this machine; absent for
    /// never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blend_from: Option<Bytes>,
    /// From which size on it wipes past the caches alone; absent for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_from: Option<Bytes>,
    /// From which size on `recycle-tracked` notes what is written; absent for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track_from: Option<Bytes>,
    /// The points, with how often each appears in a round: `points.csv` in the folder of a run.
    #[serde(skip)]
    pub points: Vec<PlannedPoint>,
}

/// What points have in common that are measured one after the other.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Block<'a> {
    strategy: &'a str,
    surroundings: Levels,
    /// The contract that other threads call at the same time.
    at_once: Option<(&'a str, &'a str)>,
    /// Whether its calls take microseconds.
    pub(super) small: bool,
}

/// The largest call that takes less than a millisecond where every page faults.
pub(super) const SMALL: Pages = Pages(32);

/// A point and how often it is measured in each round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPoint {
    /// The point.
    pub point: Point,
    /// Cycles in each round, at least one.
    pub repeats: u32,
}

impl Plan {
    /// The times that a run may measure.
    pub const BUDGETS: RangeInclusive<SignedDuration> = SignedDuration::from_secs(1)..=SignedDuration::from_hours(24);

    /// The threads that may run a cycle at once.
    pub const THREADS: RangeInclusive<u32> = 1..=64;

    /// The largest level of each factor that a charge goes by or that is a limit, in the factor's unit: beyond, charges are extrapolated. Nothing
    /// for memories, which are measured up to the chain's limits.
    #[must_use]
    pub fn measured_up_to(&self) -> Vec<(&'static Factor, u64)> {
        if self.experiment.is_of_memory() {
            return Vec::new();
        }
        let charged = self.experiment.terms.iter().filter_map(|term| match term.column {
            Column::Level(factor) => Some(factor),
            _ => None,
        });
        let of_module = charged.chain(self.experiment.limits.iter().copied());
        let most = |factor: &'static Factor| {
            self.points.iter().map(|planned| planned.point.level(factor)).max().map(|most| (factor, most))
        };
        // One that is or is not is no limit.
        of_module.filter_map(most).filter(|(_, most)| *most > 1).collect()
    }

    /// A time for measuring, as people write it: one of [`Plan::BUDGETS`].
    ///
    /// # Errors
    /// How it is to be written.
    pub fn budget_of(text: &str) -> Result<SignedDuration, &'static str> {
        let budget: SignedDuration = text.parse().map_err(|_| "write a time such as 45s or 5m")?;
        Some(budget).filter(|budget| Self::BUDGETS.contains(budget)).ok_or("write a time from 1s to 24h")
    }

    /// A time as [`Plan::budget_of`] reads it: its units without a space, so that it is one word of a shell.
    #[must_use]
    pub fn budget_text(budget: SignedDuration) -> String {
        format!("{budget:#}").replace(' ', "")
    }

    /// Makes sure that the plan can be carried out; otherwise says what is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        const MOST_SLOTS: u32 = 1000;
        const MOST_PROCESSES: u32 = 10_000;
        const MOST_REPEATS: u32 = 10_000;
        const MOST_EVICTED: Bytes = Bytes(1 << 30);
        let too_many = |threads: &u32| !Self::THREADS.contains(threads);
        let repeats = self.points.iter().map(|planned| planned.repeats);
        if !(1..=MOST_PROCESSES).contains(&self.processes) {
            Err(format!("`plan.processes` is {}, not from 1 to {MOST_PROCESSES}", self.processes))
        } else if self.evict > MOST_EVICTED {
            Err(format!("`plan.evict` is {}, above {MOST_EVICTED}", self.evict))
        } else if !Self::BUDGETS.contains(&self.budget) {
            Err(format!("`plan.budget` is {:#}, not from 1 s to 24 h", self.budget))
        } else if !(1..=MOST_SLOTS).contains(&self.pool_slots) {
            Err(format!("`plan.pool_slots` is {}, not from 1 to {MOST_SLOTS}", self.pool_slots))
        } else if self.pages_max == Pages(0) {
            Err("`plan.pages_max` is 0".into())
        } else if let Some(unknown) = self.points.iter().find(|planned| Known::named(&planned.point.strategy).is_none())
        {
            Err(format!("`{}` is not a strategy of this version", unknown.point.strategy))
        } else if let Some(threads) = self.points.iter().map(|planned| planned.point.threads()).find(too_many) {
            Err(format!("a point of the plan has {threads} `threads`, not from 1 to {}", Self::THREADS.end()))
        } else if let Some(beyond) = self.points.iter().find(|planned| pages_of(&planned.point) > self.pages_max) {
            let point = beyond.point.label();
            Err(format!(
                "{point} holds {} pages, and `plan.pages_max` is {}",
                pages_of(&beyond.point).0,
                self.pages_max.0
            ))
        } else if self.points.is_empty() {
            Err("the plan has no points".into())
        } else if let Some(wrong) = repeats.into_iter().find(|repeats| !(1..=MOST_REPEATS).contains(repeats)) {
            Err(format!("a point of the plan has {wrong} `repeats`, not from 1 to {MOST_REPEATS}"))
        } else {
            Ok(())
        }
    }

    /// The node that the plan measures.
    #[must_use]
    pub fn node(&self) -> NodeSettings {
        let Self { blend_from, stream_from, track_from, .. } = *self;
        let thresholds = Thresholds { blend_from, stream_from, track_from };
        let Self { keep_resident, pool_slots, .. } = *self;
        NodeSettings { keep_resident, pool_slots, thresholds, ..NodeSettings::new(MemoryLimit(self.pages_max)) }
    }

    /// Indices of the points in the order of one round: each as often as it repeats, block by block. The blocks are shuffled, and the
    /// points within each.
    ///
    /// The order depends on the seed, the process and the round alone.
    #[must_use]
    pub fn order(&self, process: u32, round: u32) -> Vec<u32> {
        let mut blocks = self.blocks(|planned| planned.repeats as usize);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(process) << 32 | u64::from(round));
        blocks.shuffle(&mut rng);
        for block in &mut blocks {
            block.shuffle(&mut rng);
        }
        blocks.concat()
    }

    /// Each point once, block by block.
    pub(super) fn once(&self) -> Vec<u32> {
        self.blocks(|_| 1).concat()
    }

    fn blocks(&self, times: impl Fn(&PlannedPoint) -> usize) -> Vec<Vec<u32>> {
        let mut blocks: BTreeMap<Block<'_>, Vec<u32>> = BTreeMap::new();
        for (index, planned) in (0u32..).zip(&self.points) {
            let block = blocks.entry(Self::block(&planned.point)).or_default();
            block.extend(std::iter::repeat_n(index, times(planned)));
        }
        blocks.into_values().collect()
    }

    /// The block of a round that a point belongs to.
    ///
    /// What ran before decides what a small call costs: after 25 ms without its like the code and data of kernel and runtime have
    /// left the shared cache, and one page costs twice as much (docs/process.md). So calls that take microseconds come after their like, those
    /// that take milliseconds after theirs, and what an unlike tenant leaves is a condition of points of their own. What is dear to set up beside
    /// them is set up once for all points that share it.
    pub(super) fn block(point: &Point) -> Block<'_> {
        let at_once = (point.threads() > 1).then_some((point.contract.as_str(), point.variant.as_str()));
        Block {
            strategy: &point.strategy,
            surroundings: point.levels.surroundings(),
            at_once,
            small: pages_of(point) <= SMALL,
        }
    }

    /// What calls met by this plan, some of them: a line for people, as [`Levels::process`].
    #[must_use]
    pub fn met(&self) -> String {
        let surroundings = |planned: &PlannedPoint| planned.point.levels.surroundings();
        self.points.iter().map(surroundings).fold(Levels::default(), |all, of| all.and(&of)).process()
    }

    /// Cycles in a round.
    #[must_use]
    pub fn cycles_per_round(&self) -> usize {
        self.points.iter().map(|planned| planned.repeats as usize).sum()
    }
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_one(number: &u32) -> bool {
    *number == 1
}

/// Most pages that the memory of a point has in a cycle.
fn pages_of(point: &Point) -> Pages {
    Pages(point.initial_pages().0.max(point.touched_pages().0))
}

/// The point at which an artifact is measured under a strategy, in these conditions.
#[must_use]
pub fn point_of(artifact: &Artifact, strategy: &str, touched_pages: Pages, conditions: Levels) -> Point {
    Point {
        contract: artifact.contract.clone(),
        variant: artifact.variant.clone(),
        strategy: strategy.to_owned(),
        levels: conditions
            .with(&INITIAL_PAGES, artifact.initial_pages.0.into())
            .with(&STACK_BYTES, artifact.stack_bytes.0)
            .with(&TOUCHED_PAGES, touched_pages.0.into())
            .with(&DATA_BYTES, artifact.facts.data_bytes.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::conditions::PREVIOUS;
    use crate::experiment::node::SPINNING_THREADS;
    use crate::experiment::{MEMORY, Previous};

    fn point(pages: u32) -> Point {
        Point::of_memory("touch-memory", &format!("pages{pages}"), "fresh-map", Pages(pages))
    }

    fn plan() -> Plan {
        let points = [1, 17, 1024]
            .map(point)
            .map(|point| PlannedPoint { repeats: 128 / point.touched_pages().0.clamp(4, 128), point });
        Plan {
            experiment: &MEMORY,
            seed: 7,
            processes: 2,
            budget: SignedDuration::from_secs(1),
            evict: Bytes(0),
            probe: super::super::PROBE,
            pages_max: Pages(2048),
            keep_resident: None,
            pool_slots: 1,
            blend_from: None,
            stream_from: None,
            track_from: None,
            points: points.into(),
        }
    }

    #[test]
    fn every_point_is_in_every_round_as_often_as_it_repeats() {
        let plan = plan();
        let order = plan.order(1, 3);
        assert_eq!(order.len(), plan.cycles_per_round());
        for (index, planned) in (0..).zip(&plan.points) {
            assert_eq!(order.iter().filter(|&&point| point == index).count(), planned.repeats as usize);
        }
    }

    #[test]
    fn orders_differ_by_process_and_round_and_repeat_by_seed() {
        let plan = plan();
        assert_ne!(plan.order(0, 0), plan.order(0, 1));
        assert_ne!(plan.order(0, 0), plan.order(1, 0));
        assert_eq!(plan.order(1, 5), plan.clone().order(1, 5));
        assert_ne!(plan.order(0, 0), Plan { seed: 8, ..plan.clone() }.order(0, 0));
    }

    /// What ran before decides what a small call costs: its like, and nothing that takes 25 ms.
    #[test]
    fn small_calls_come_after_small_ones_and_unlike_tenants_are_points_of_their_own() {
        let mut plan = plan();
        let after = plan.points[0].point.clone().with(&PREVIOUS, Previous::Dirty as u64);
        let beside = after.clone().with(&SPINNING_THREADS, 1);
        plan.points.extend([after, beside].map(|point| PlannedPoint { point, repeats: 2 }));
        for round in 0..10 {
            let order = plan.order(0, round);
            let blocks = order.chunk_by(|&a, &b| {
                Plan::block(&plan.points[a as usize].point) == Plan::block(&plan.points[b as usize].point)
            });
            assert_eq!(
                blocks.count(),
                4,
                "small ones, large ones, after an unlike tenant, and beside a thread: {order:?}"
            );
        }
    }

    #[test]
    fn plans_that_cannot_be_carried_out_are_refused() {
        assert_eq!(plan().check(), Ok(()));
        let wrong = [
            Plan { processes: 0, ..plan() },
            Plan { pool_slots: 0, ..plan() },
            Plan { evict: Bytes(u64::MAX), ..plan() },
            Plan { points: Vec::new(), ..plan() },
            Plan { pages_max: Pages(1023), ..plan() },
        ];
        for plan in wrong {
            assert!(plan.check().is_err());
        }
        let mut plan = plan();
        plan.points[0].repeats = 0;
        assert!(plan.check().unwrap_err().contains("repeats"));
    }
}
