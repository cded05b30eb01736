use super::{Choice, Procedure, memory};
use crate::experiment::conditions::{CACHES, PREVIOUS, WRITE_WIDTH};
use crate::experiment::node::{
    CALLING_THREADS, IDLE_THREADS, MAPPINGS, MODULES, PAGE_TABLES, RESERVED, RESIDENT, SPINNING_THREADS,
};
use crate::experiment::{Caches, Levels, PROCESS, Previous, WriteWidth};
use crate::measure::PlannedPoint;
use crate::measure::ladder::rungs;
use crate::measure::plan::point_of;
use crate::units::Pages;

pub(super) const PROCEDURE: Procedure = Procedure { points, of: &PROCESS, ..memory::PROCEDURE };

/// Sizes at which each property is tried, beside the largest.
const SIZES: [Pages; 4] = [Pages(1), Pages(2), Pages(17), Pages(1024)];

/// Each size under the chain's strategy: in an empty process after its like, with each property alone, and with several together.
fn points(choice: &Choice<'_>) -> Vec<PlannedPoint> {
    let rungs = rungs(choice.artifacts);
    let largest = rungs.last().map(|artifact| artifact.initial_pages);
    let sizes = rungs
        .into_iter()
        .filter(|artifact| SIZES.contains(&artifact.initial_pages) || Some(artifact.initial_pages) == largest);
    let settings = settings(choice.node);
    let at = |artifact| {
        let of = settings.iter().map(move |levels| {
            let point = point_of(artifact, choice.chain_strategy, artifact.initial_pages, levels.clone());
            PlannedPoint { repeats: repeats(artifact.initial_pages, levels), point }
        });
        of.collect::<Vec<_>>()
    };
    sizes.flat_map(at).collect()
}

/// Small calls are the noisier, and most of their time goes into what is before them.
fn repeats(pages: Pages, levels: &Levels) -> u32 {
    let dear = levels.get(&PREVIOUS) != PREVIOUS.usual;
    match pages {
        Pages(..=2) if dear => 3,
        Pages(..=32) if dear => 2,
        Pages(..=2) => 8,
        Pages(..=32) => 4,
        _ => 1,
    }
}

fn settings(node: &Levels) -> Vec<Levels> {
    let with = |factor, level| Levels::default().with(factor, level);
    let after = |previous: Previous| with(&PREVIOUS, previous as u64);
    let dirty = after(Previous::Dirty);
    let alone = [
        Levels::default(),
        with(&IDLE_THREADS, 32),
        with(&SPINNING_THREADS, 1),
        with(&CALLING_THREADS, 1),
        with(&MAPPINGS, 20_000),
        with(&RESIDENT, 1 << 30),
        with(&PAGE_TABLES, 8192),
        with(&RESERVED, 1 << 42),
        with(&MODULES, 200),
        with(&CACHES, Caches::Warm as u64),
        with(&WRITE_WIDTH, WriteWidth::EveryByte as u64),
        after(Previous::Clean),
        after(Previous::LongGone),
        after(Previous::Foreign),
        dirty.clone(),
    ];
    let together = [
        dirty.clone().with(&SPINNING_THREADS, 1),
        dirty.clone().with(&CALLING_THREADS, 1),
        dirty.clone().with(&WRITE_WIDTH, WriteWidth::EveryByte as u64),
        node.clone().with(&PREVIOUS, PREVIOUS.usual),
        node.clone(),
    ];
    let mut settings = Vec::new();
    for levels in alone.into_iter().chain(together) {
        if !settings.contains(&levels) {
            settings.push(levels);
        }
    }
    settings
}
