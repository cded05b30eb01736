use jiff::SignedDuration;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::DesignPoint;
use crate::contract::Artifact;
use crate::units::{Bytes, Pages};

/// What is measured, in which order and for how long: fixed before the first sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Seeds every shuffle.
    pub seed: u64,
    /// Worker processes over all shards. Address layout differs by process, so several are needed to average over it.
    pub processes: u32,
    /// Time for measuring, over all processes.
    pub budget: SignedDuration,
    /// Bytes written before a cycle and before a probe to make the caches cold.
    pub evict: Bytes,
    /// Most pages that a contract may hold.
    pub pages_max: Pages,
    /// The points, with how often each appears in a round.
    pub points: Vec<PlannedPoint>,
}

/// A design point and how often it is measured in each round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPoint {
    /// The point.
    #[serde(flatten)]
    pub point: DesignPoint,
    /// Cycles in each round, at least one.
    pub repeats: u32,
}

impl Plan {
    /// Indices of the points in the order of one round: each as often as it repeats, shuffled.
    ///
    /// The order depends on the seed, the process and the round alone.
    #[must_use]
    pub fn order(&self, process: u32, round: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0u32..)
            .zip(&self.points)
            .flat_map(|(index, planned)| std::iter::repeat_n(index, planned.repeats as usize))
            .collect();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(process) << 32 | u64::from(round));
        order.shuffle(&mut rng);
        order
    }

    /// Cycles in a round.
    #[must_use]
    pub fn cycles_per_round(&self) -> usize {
        self.points.iter().map(|planned| planned.repeats as usize).sum()
    }
}

/// The grid of points: every artifact and touched level under the chain's strategy; under the others only the smallest stack
/// of each level, since stack size given pages is settled where the fee is.
#[must_use]
pub fn grid(artifacts: &[Artifact], strategies: &[&str], chain_strategy: &str) -> Vec<PlannedPoint> {
    let mut points = Vec::new();
    for &strategy in strategies {
        for artifact in artifacts {
            let own = strategy == chain_strategy;
            if own || has_smallest_stack(artifact, artifacts) {
                points.extend(artifact.touched_pages.iter().map(|&touched| planned(artifact, strategy, touched, own)));
            }
        }
    }
    points
}

fn has_smallest_stack(artifact: &Artifact, artifacts: &[Artifact]) -> bool {
    let level = |a: &Artifact| (a.contract.clone(), a.initial_pages, a.facts.data_bytes);
    artifacts
        .iter()
        .filter(|other| level(other) == level(artifact))
        .all(|other| artifact.stack_bytes <= other.stack_bytes)
}

fn planned(artifact: &Artifact, strategy: &str, touched_pages: Pages, own: bool) -> PlannedPoint {
    let point = DesignPoint {
        contract: artifact.contract.clone(),
        variant: artifact.variant.clone(),
        strategy: strategy.to_owned(),
        initial_pages: artifact.initial_pages,
        stack_bytes: artifact.stack_bytes,
        touched_pages,
        data_bytes: artifact.facts.data_bytes,
    };
    PlannedPoint { repeats: repeats(touched_pages, own), point }
}

/// Small cycles are cheap and relatively noisy, and the base of the fee rests on them, so a round measures them more often:
/// as often as they touch 128 pages together, but not more than 32 times. A quarter of that is enough where no fee follows.
fn repeats(touched: Pages, own: bool) -> u32 {
    const TOGETHER: u32 = 128;
    const MOST: u32 = 32;
    let repeats = (TOGETHER / touched.0.max(1)).clamp(1, MOST);
    if own { repeats } else { repeats.div_ceil(4) }
}
