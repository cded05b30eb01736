//! Whether times can have been measured, each for itself.
//!
//! A single cycle may be anything: a machine stops, or is stopped. What is looked at is most of a round, or most cycles of a point.

use std::collections::{BTreeMap, HashMap};

use super::{DesignPoint, Experiment, RunFile, Sample};
use crate::units::HOST_PAGE;

/// Rows from which on two rounds cannot be alike by chance, whatever the clock resolves.
const TELLING: usize = 4;
/// A page fault takes longer, in nanoseconds: a system call that does nothing takes so long.
const FASTEST_FAULT_NS: u64 = 20;
/// So many times its probe no phase takes, unless a contract computes in it. The probe maps, writes and unmaps the same pages.
const FARTHEST: u64 = 100;

/// A process with one of its rounds.
type Round = (u32, u32);

/// Makes sure that times are possible; what is odd and need not be wrong is returned, a sentence each.
pub(super) fn plausible(
    rounds: &BTreeMap<Round, Vec<&Sample>>,
    points: &[DesignPoint],
    run: &RunFile,
) -> Result<Vec<String>, String> {
    each_for_itself(rounds)?;
    let host_page = run.machine.page_size.map_or(HOST_PAGE, |size| size.0.max(HOST_PAGE));
    let pages: Vec<u64> = points.iter().map(|point| super::verify::least_faults(point, host_page)).collect();
    let probed = run.plan.experiment == Experiment::Memory;
    let impossible = |row: &Sample| impossible(row, pages[row.point as usize], probed);
    for (&(process, round), rows) in rounds {
        let wrong: Vec<(&Sample, &str)> =
            rows.iter().filter_map(|row| impossible(row).map(|what| (*row, what))).collect();
        if wrong.len() * 2 > rows.len() {
            let (row, what) = wrong[0];
            return Err(format!(
                "process {process}, round {round}: in {} of its {} rows {what}, first in that of order {}",
                wrong.len(),
                rows.len(),
                row.order
            ));
        }
        if let Some(row) = rows.iter().find(|row| probed && row.probe_ns == 0) {
            let order = row.order;
            return Err(format!("process {process}, round {round}, order {order}: the probe took no time"));
        }
        if too_long(rows, run) {
            return Err(format!(
                "process {process}, round {round} took far longer than the time that the run was planned for"
            ));
        }
    }
    let mut of_points: BTreeMap<u32, (usize, usize, &str)> = BTreeMap::new();
    for row in rounds.values().flatten() {
        let (all, wrong, why) = of_points.entry(row.point).or_default();
        *all += 1;
        if let Some(what) = impossible(row) {
            (*wrong, *why) = (*wrong + 1, what);
        }
    }
    let odd = of_points.into_iter().filter(|(_, (all, wrong, _))| wrong * 2 > *all);
    let odd = odd.map(|(point, (all, wrong, why))| {
        format!("{}: in {wrong} of its {all} rows {why}", points[point as usize].label())
    });
    Ok(odd.collect())
}

/// Why a cycle cannot have been measured, or does something else than what is measured.
fn impossible(row: &Sample, pages: u64, probed: bool) -> Option<&'static str> {
    if row.instantiate_ns == 0 || row.reset_ns == 0 {
        return Some("a phase took no time");
    }
    // Its own count may be any that is not too low.
    if row.first_touch_ns < pages * FASTEST_FAULT_NS {
        return Some("the first touch took less time than its page faults must take");
    }
    if !probed {
        return None;
    }
    if row.probe_ns == 0 {
        return Some("the probe took no time");
    }
    let farthest = row.probe_ns.saturating_mul(FARTHEST);
    if [row.instantiate_ns, row.first_touch_ns, row.reset_ns].into_iter().any(|phase| phase > farthest) {
        return Some("a phase took over 100 times as long as the probe beside it");
    }
    if pages > 0 && row.first_touch_ns.saturating_mul(FARTHEST) < row.probe_ns {
        return Some("the probe took over 100 times as long as the first touch of the same pages");
    }
    None
}

/// Whether half of the rows of a round would fill so many times the share of the budget that it was planned by. Where the fewest
/// rounds take longer than the budget it bounds nothing.
fn too_long(rows: &[&Sample], run: &RunFile) -> bool {
    const FEWEST: u32 = 2;
    const TIMES: f64 = 100.0;
    let Some(rounds) = run.rounds.filter(|rounds| *rounds > FEWEST) else { return false };
    let mut times: Vec<u64> = rows
        .iter()
        .map(|row| row.instantiate_ns + row.first_touch_ns + row.warm_touch_ns + row.reset_ns + row.probe_ns)
        .collect();
    times.sort_unstable();
    // A machine that stopped in some cycles has not made the others longer.
    times.truncate(times.len() - times.len() / 10);
    let seconds = times.iter().map(|&time| std::time::Duration::from_nanos(time).as_secs_f64()).sum::<f64>();
    let share = run.plan.budget.as_secs_f64() / f64::from(run.plan.processes) / f64::from(rounds);
    seconds > TIMES * share
}

/// Makes sure that no round holds the times of another one: nothing is measured alike to the nanosecond, row by row.
fn each_for_itself(rounds: &BTreeMap<Round, Vec<&Sample>>) -> Result<(), String> {
    type Times = (u32, u64, u64, u64, u64, u64);
    let times = |row: &Sample| -> Times {
        (row.point, row.instantiate_ns, row.first_touch_ns, row.warm_touch_ns, row.reset_ns, row.probe_ns)
    };
    let mut seen: HashMap<Times, Round> = HashMap::new();
    for (&(process, round), rows) in rounds.iter().filter(|(_, rows)| rows.len() >= TELLING) {
        let mut alike: BTreeMap<Round, usize> = BTreeMap::new();
        for row in rows {
            match seen.entry(times(row)) {
                std::collections::hash_map::Entry::Occupied(before) => *alike.entry(*before.get()).or_default() += 1,
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert((process, round));
                }
            }
        }
        if alike.values().sum::<usize>() * 2 > rows.len() {
            let (before, _) = alike.into_iter().max_by_key(|&(_, count)| count).unwrap_or_default();
            return Err(format!(
                "process {process}, round {round} has the very times of process {}, round {}: they were copied",
                before.0, before.1
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::measure::{RunFolder, Samples};

    /// The stored run, every time as many times as long, as if so many rounds had been planned.
    fn stretched(times: u64, rounds: u32) -> Result<Vec<String>, String> {
        let folder = RunFolder::at(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run"));
        let run = RunFile { rounds: Some(rounds), ..folder.read().unwrap() };
        let Samples { points, mut samples } = super::super::read_samples(&folder.samples()).unwrap().samples;
        for sample in &mut samples {
            for time in [
                &mut sample.instantiate_ns,
                &mut sample.first_touch_ns,
                &mut sample.warm_touch_ns,
                &mut sample.reset_ns,
                &mut sample.probe_ns,
            ] {
                *time *= times;
            }
        }
        let mut by_round: BTreeMap<Round, Vec<&Sample>> = BTreeMap::new();
        for sample in &samples {
            by_round.entry((sample.process, sample.round)).or_default().push(sample);
        }
        plausible(&by_round, &points, &run)
    }

    #[test]
    fn a_round_cannot_take_far_longer_than_it_was_planned_by() {
        assert_eq!(stretched(1, 20), Ok(Vec::new()));
        let error = stretched(1000, 20).unwrap_err();
        assert!(error.contains("process 0, round 0 took far longer"), "{error}");
        assert_eq!(stretched(1000, 2), Ok(Vec::new()), "the fewest rounds may take longer than the budget");
    }
}
