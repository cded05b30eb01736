//! The grid of the strategies experiment.

use std::collections::BTreeSet;

use super::PlannedPoint;
use super::plan::point_of;
use super::setting::SHARES;
use crate::contract::Artifact;
use crate::experiment::conditions::{CACHES, PREVIOUS, THREADS, WRITE_WIDTH};
use crate::experiment::node::SPINNING_THREADS;
use crate::experiment::{Caches, Levels, Previous, WriteWidth};
use crate::units::Pages;

/// The contract whose page levels are climbed, and the one that stands in for it.
const CONTRACTS: [&str; 2] = ["touch-memory", "touch-memory-wat"];

/// Pages at which the predecessor varies, beside the largest. One costs up to 70 ms of the budget, and each of these engines holds its 64 MiB.
const PREVIOUS_LEVELS: [Pages; 6] = [Pages(1), Pages(4), Pages(17), Pages(64), Pages(256), Pages(1024)];

/// Pages at which write width, caches and neighbours vary, beside the largest.
const SURROUNDED_LEVELS: [Pages; 4] = [Pages(1), Pages(17), Pages(128), Pages(1024)];

/// Every strategy over every level of pages, with the smallest stack, by touched share, by what the tenant before did, by how much
/// of each host page is written, and by the state of the caches; with more than one of `threads` also with so many at the same
/// cycle, and beside a thread that spins. A share that is no whole number of pages is left out.
#[must_use]
pub fn ladder(artifacts: &[Artifact], strategies: &[&str], threads: u32) -> Vec<PlannedPoint> {
    let levels = rungs(artifacts);
    let largest = levels.last().map(|artifact| artifact.initial_pages);
    let on = |artifact: &Artifact| {
        let pages = artifact.initial_pages;
        let usual = Levels::default;
        let mut cells: Vec<(Pages, Levels)> = shares(pages).into_iter().map(|touched| (touched, usual())).collect();
        if PREVIOUS_LEVELS.contains(&pages) || Some(pages) == largest {
            for previous in [Previous::Clean, Previous::Dirty] {
                cells.extend([pages, Pages(0)].map(|touched| (touched, usual().with(&PREVIOUS, previous as u64))));
            }
        }
        if SURROUNDED_LEVELS.contains(&pages) || Some(pages) == largest {
            for width in [WriteWidth::EveryByte, WriteWidth::Scattered] {
                cells.push((pages, usual().with(&WRITE_WIDTH, width as u64)));
            }
            cells.push((pages, usual().with(&CACHES, Caches::Warm as u64)));
            if threads > 1 {
                cells.push((pages, usual().with(&THREADS, threads.into())));
                cells.push((pages, usual().with(&SPINNING_THREADS, 1)));
            }
        }
        cells
    };
    let points = |&strategy: &&str| {
        let of = levels.iter().flat_map(move |artifact| {
            on(artifact).into_iter().map(move |(touched, conditions)| planned(artifact, strategy, touched, conditions))
        });
        of.collect::<Vec<_>>()
    };
    strategies.iter().flat_map(points).collect()
}

/// The smallest stack of each level of pages.
pub(super) fn rungs(artifacts: &[Artifact]) -> Vec<&Artifact> {
    let of = |name: &&str| artifacts.iter().filter(|artifact| artifact.contract == *name).collect::<Vec<_>>();
    let mut levels = CONTRACTS.iter().map(of).find(|levels| !levels.is_empty()).unwrap_or_default();
    levels.sort_by_key(|artifact| (artifact.initial_pages, artifact.stack_bytes));
    levels.dedup_by_key(|artifact| artifact.initial_pages);
    levels
}

fn shares(pages: Pages) -> BTreeSet<Pages> {
    let whole = SHARES.into_iter().filter(|&share| pages.0.is_multiple_of(share)).map(|share| Pages(pages.0 / share));
    [Pages(0), Pages(1)].into_iter().chain(whole).collect()
}

fn planned(artifact: &Artifact, strategy: &str, touched_pages: Pages, conditions: Levels) -> PlannedPoint {
    /// Small cycles are noisier and cost little.
    const TOGETHER: u32 = 32;
    const MOST: u32 = 4;
    let point = point_of(artifact, strategy, touched_pages, conditions);
    let alone = point.previous() == Previous::Same && point.threads() == 1;
    let repeats = if alone { (TOGETHER / artifact.initial_pages.0.max(1)).clamp(1, MOST) } else { 1 };
    PlannedPoint { point, repeats }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    #[test]
    fn shares_are_whole_pages() {
        let of = |pages| shares(Pages(pages)).into_iter().map(|pages| pages.0).collect::<Vec<_>>();
        assert_eq!(of(1), [0, 1]);
        assert_eq!(of(4), [0, 1, 4]);
        assert_eq!(of(17), [0, 1, 17]);
        assert_eq!(of(1024), [0, 1, 64, 256, 1024]);
    }

    fn artifact(contract: &str, pages: u32) -> Artifact {
        crate::measure::grid::tests::artifact(contract, pages, &[pages], Bytes(0))
    }

    /// A chain's largest memory need not be one of the usual levels.
    #[test]
    fn the_largest_level_is_measured_in_every_condition() {
        let artifacts = [artifact("touch-memory", 1), artifact("touch-memory", 100), artifact("touch-memory-wat", 17)];
        let points = ladder(&artifacts, &["fresh-map"], 1);
        let conditions = |pages| {
            let of = points.iter().filter(|planned| planned.point.initial_pages() == Pages(pages));
            of.map(|planned| planned.point.levels.surroundings()).collect::<BTreeSet<_>>().len()
        };
        assert_eq!((conditions(1), conditions(100)), (6, 6));
        assert!(points.iter().all(|planned| planned.point.contract == "touch-memory"));
    }

    #[test]
    fn where_there_is_no_toolchain_the_stand_in_is_climbed() {
        let points = ladder(&[artifact("touch-memory-wat", 1)], &["fresh-map"], 1);
        assert!(!points.is_empty() && points.iter().all(|planned| planned.point.contract == "touch-memory-wat"));
    }
}
