//! The grid of the memory experiment.

use super::cycles::Choice;
use super::plan::point_of;
use super::{PlannedPoint, SMALL};
use crate::contract::Artifact;
use crate::experiment::conditions::{PREVIOUS, WRITE_WIDTH};
use crate::experiment::{Levels, WriteWidth};
use crate::units::{Bytes, Pages};

/// Every artifact and touched level under the chain's strategy, and the worst that a call meets on the chain's nodes. Under the other
/// strategies a ladder suffices to see what they cost: memories without data that do not grow, with the smallest stack of each level.
#[must_use]
pub(super) fn grid(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let mut points = Vec::new();
    for &strategy in choice.strategies {
        let own = strategy == choice.chain_strategy;
        for artifact in choice.artifacts {
            let least = has_least_stack(artifact, choice.artifacts);
            let empty = artifact.facts.data_bytes == Bytes(0) && !grows(artifact);
            let rung = least && empty && (LADDER.contains(&artifact.initial_pages) || is_largest(artifact, choice));
            if (own && (least || artifact.initial_pages <= STACKS_TO)) || rung {
                let at = |&touched: &Pages| planned(artifact, strategy, touched, Levels::default(), own);
                points.extend(artifact.touched_pages.iter().map(at));
            }
            if own && least {
                points.extend(worst(artifact, choice));
            }
        }
    }
    points
}

/// The largest size at which stacks are crossed. Whether they cost anything shows there, and beyond it each would cost milliseconds a cycle.
const STACKS_TO: Pages = Pages(32);

/// The sizes at which other strategies are measured, beside the largest.
const LADDER: [Pages; 6] = [Pages(1), Pages(4), Pages(17), Pages(64), Pages(256), Pages(1024)];

/// Whether there is none with a smaller stack that is alike otherwise.
fn has_least_stack(artifact: &Artifact, artifacts: &[Artifact]) -> bool {
    let level = |a: &Artifact| (a.contract.clone(), a.initial_pages, a.facts.data_bytes);
    let alike = artifacts.iter().filter(|other| level(other) == level(artifact));
    alike.into_iter().all(|other| artifact.stack_bytes <= other.stack_bytes)
}

fn is_largest(artifact: &Artifact, choice: &Choice<'_>) -> bool {
    choice.artifacts.iter().all(|other| other.initial_pages <= artifact.initial_pages)
}

fn grows(artifact: &Artifact) -> bool {
    artifact.touched_pages != [artifact.initial_pages]
}

/// The worst of a call: it writes every byte of its memory, and meets what the chain says of its nodes, usually an unlike tenant of the
/// largest size before it that dirtied its memory, and the process beside it.
///
/// For calls of milliseconds neither the process nor what ran before is measurably dearer under a fresh
/// mapping (docs/process.md), yet a pool may hand on what the tenant before dirtied: the largest is measured after one.
fn worst(artifact: &Artifact, choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let largest = is_largest(artifact, choice);
    let after = Levels::default().with(&PREVIOUS, choice.node.get(&PREVIOUS));
    let alone = Levels::default();
    let at = |&touched: &Pages| {
        let small = touched.max(artifact.initial_pages) <= SMALL;
        let met = match (small, largest && !grows(artifact)) {
            (true, _) => choice.node,
            (false, true) => &after,
            (false, false) => &alone,
        };
        let met = met.clone().with(&WRITE_WIDTH, WriteWidth::EveryByte as u64);
        planned(artifact, choice.chain_strategy, touched, met, true)
    };
    artifact.touched_pages.iter().map(at).collect()
}

fn planned(artifact: &Artifact, strategy: &str, touched_pages: Pages, surroundings: Levels, own: bool) -> PlannedPoint {
    // Those after an unlike tenant take its time too: small ones are estimated together, and the largest decide the price of a page.
    const LARGE: Pages = Pages(512);
    let repeats = match surroundings.get(&PREVIOUS) == PREVIOUS.usual {
        true => repeats(touched_pages, own),
        false if touched_pages > LARGE => 2,
        false => 1,
    };
    PlannedPoint { point: point_of(artifact, strategy, touched_pages, surroundings), repeats }
}

/// Small cycles are cheap and relatively noisy, so a round measures them more often: as often as they touch 1024 pages together, but not
/// more than 16 times, and twice at least. A quarter of that is enough where no fee follows.
fn repeats(touched: Pages, own: bool) -> u32 {
    const TOGETHER: u32 = 1024;
    const MOST: u32 = 16;
    let repeats = (TOGETHER / touched.0.max(1)).clamp(2, MOST);
    if own { repeats } else { repeats.div_ceil(4) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::contract::{ModuleFacts, Provenance};
    use crate::experiment::Previous;

    pub(in crate::measure) fn artifact(contract: &str, pages: u32, touched: &[u32], data_bytes: Bytes) -> Artifact {
        Artifact {
            contract: contract.into(),
            variant: format!("pages{pages}"),
            entry: "touch".into(),
            initial_pages: Pages(pages),
            stack_bytes: Bytes(0),
            touched_pages: touched.iter().copied().map(Pages).collect(),
            facts: ModuleFacts { data_bytes, ..ModuleFacts::default() },
            sha256: String::new(),
            wasm: Vec::new(),
            provenance: Provenance::default(),
        }
    }

    /// A contract that grows or has data can write every byte too: charged by a byte in each page alone, it would pay too little.
    #[test]
    fn of_every_contract_and_size_the_worst_writes_every_byte() {
        let artifacts = [
            artifact("touch-memory", 1, &[1], Bytes(0)),
            artifact("touch-memory", 1024, &[1024], Bytes(0)),
            artifact("grow-memory", 1, &[17, 1024], Bytes(0)),
            artifact("data-heavy", 64, &[64], Bytes(4 << 20)),
        ];
        let node = Levels::default().with(&PREVIOUS, Previous::Dirty as u64);
        let strategies = ["fresh-map"];
        let of = |node: &Levels| {
            let (artifacts, strategies) = (&artifacts[..], &strategies[..]);
            grid(&Choice {
                artifacts,
                strategies,
                chain_strategy: "fresh-map",
                threads: 1,
                node,
                pages_max: Pages(2048),
            })
        };
        let worst = |node: &Levels| -> Vec<(u32, Previous)> {
            let points = of(node).into_iter().map(|planned| planned.point);
            let every = points.filter(|point| point.write_width() == WriteWidth::EveryByte);
            every.map(|point| (point.touched_pages().0, point.previous())).collect()
        };
        let (same, dirty) = (Previous::Same, Previous::Dirty);
        assert_eq!(worst(&node), [(1, dirty), (1024, dirty), (17, dirty), (1024, same), (64, same)]);
        assert_eq!(worst(&Levels::default()), [(1, same), (1024, same), (17, same), (1024, same), (64, same)]);
        assert_eq!(of(&node).len(), 10);
    }

    #[test]
    fn small_points_repeat_and_large_ones_do_not() {
        assert_eq!([1, 17, 64, 128, 512, 1024].map(|pages| repeats(Pages(pages), true)), [16, 16, 16, 8, 2, 2]);
        assert_eq!([1, 64, 1024].map(|pages| repeats(Pages(pages), false)), [4, 4, 1]);
    }
}
