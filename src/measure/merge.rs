use std::collections::HashMap;

use super::{Sample, Samples};

/// Puts the samples of several runs together.
///
/// Shards of one plan have processes of their own and keep their numbers. Runs that share a number are renumbered: theirs
/// were different processes all the same.
#[must_use]
pub fn merge(runs: Vec<Samples>) -> Samples {
    let mut merged = Samples::default();
    let mut points = HashMap::new();
    let mut free: u32 = 0;
    for run in runs {
        let highest = run.samples.iter().map(|sample| sample.process).max();
        let taken = |process: u32| merged.samples.iter().any(|sample| sample.process == process);
        let mut numbers: Vec<u32> = run.samples.iter().map(|sample| sample.process).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let shift = if numbers.into_iter().any(taken) { free } else { 0 };
        let places: Vec<u32> = run
            .points
            .into_iter()
            .map(|point| {
                *points.entry(point.clone()).or_insert_with(|| {
                    merged.points.push(point);
                    u32::try_from(merged.points.len() - 1).unwrap_or(u32::MAX)
                })
            })
            .collect();
        merged.samples.extend(run.samples.into_iter().map(|sample| Sample {
            point: places[sample.point as usize],
            process: sample.process.saturating_add(shift),
            ..sample
        }));
        free = free.max(highest.map_or(0, |highest| highest.saturating_add(shift).saturating_add(1)));
    }
    merged
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::measure::parse_samples;

    fn run(process: u32, pages: u32) -> Samples {
        let header = crate::measure::COLUMNS[..17].join(",");
        let row =
            format!("r,{process},0,0,touch-memory,v,fresh-map,{pages},65536,{pages},0,10,20,5,7,{},25", pages * 16);
        parse_samples(format!("{header}\n{row}\n").as_bytes(), Path::new("samples.csv")).unwrap().samples
    }

    #[test]
    fn shards_keep_their_processes_and_share_points() {
        let merged = merge(vec![run(0, 17), run(1, 17)]);
        assert_eq!(merged.points.len(), 1);
        assert_eq!(merged.samples.iter().map(|s| s.process).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn processes_of_other_runs_are_renumbered() {
        let merged = merge(vec![run(0, 17), run(0, 1), run(0, 17)]);
        assert_eq!(merged.points.len(), 2);
        assert_eq!(merged.samples.iter().map(|s| s.process).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(merged.samples[1].point, 1);
    }
}
