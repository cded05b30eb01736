use std::collections::{BTreeSet, HashMap};

use super::{Place, Samples};
use crate::experiment::Point;

/// Puts the samples of several runs together.
///
/// Shards of one plan have processes of their own and keep their numbers. Runs that share a number are renumbered: theirs
/// were different processes all the same.
#[must_use]
pub fn merge(runs: Vec<Samples>) -> Samples {
    let mut runs = runs.into_iter();
    let Some(mut merged) = runs.next() else { return Samples::default() };
    let mut numbers: HashMap<Point, u32> = (merged.points.iter().cloned().zip(0..)).collect();
    for run in runs {
        let processes =
            |samples: &Samples| -> BTreeSet<u32> { samples.places().iter().map(|place| place.process).collect() };
        let taken = processes(&merged);
        let free = taken.last().map_or(0, |last| last.saturating_add(1));
        let shift = if processes(&run).is_disjoint(&taken) { 0 } else { free };
        let renumbered: Vec<u32> = (run.points.iter())
            .map(|point| {
                *numbers.entry(point.clone()).or_insert_with(|| {
                    merged.points.push(point.clone());
                    u32::try_from(merged.points.len() - 1).unwrap_or(u32::MAX)
                })
            })
            .collect();
        merged.append(run, |place| Place {
            point: renumbered[place.point as usize],
            process: place.process.saturating_add(shift),
            ..place
        });
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MEMORY;
    use crate::units::Pages;

    fn run(process: u32, pages: u32) -> Samples {
        let mut samples = Samples::of(&MEMORY, vec![Point::of_memory("touch-memory", "v", "fresh-map", Pages(pages))]);
        samples.push(Place { process, ..Place::default() }, &[10, 20, 5, 7, 25, u64::from(pages) * 16, 0]);
        samples
    }

    fn processes(samples: &Samples) -> Vec<u32> {
        samples.places().iter().map(|place| place.process).collect()
    }

    #[test]
    fn shards_keep_their_processes_and_share_points() {
        let merged = merge(vec![run(0, 17), run(1, 17)]);
        assert_eq!(merged.points.len(), 1);
        assert_eq!(processes(&merged), [0, 1]);
    }

    #[test]
    fn processes_of_other_runs_are_renumbered() {
        let merged = merge(vec![run(0, 17), run(0, 1), run(0, 17)]);
        assert_eq!(merged.points.len(), 2);
        assert_eq!(processes(&merged), [0, 1, 2]);
        assert_eq!(merged.places()[1].point, 1);
    }
}
