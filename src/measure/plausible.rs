//! Whether times can have been measured, each for itself.
//!
//! A single cycle may be anything: a machine stops, or is stopped. What is looked at is most of a round, or most cycles of a point.

use std::collections::{BTreeMap, HashMap};

use super::{RunFile, Sample};
use crate::experiment::{Experiment, Point, Price};
use crate::units::HOST_PAGE;

/// Rows from which on two rounds cannot be alike by chance, whatever the clock resolves.
const TELLING: usize = 4;
/// Cycles of which no time is as long recur by themselves, in nanoseconds: some clocks step by ten, so that a cycle of a hundred has a few
/// dozen times that it can take.
const LONG_NS: u64 = 10_000;
/// A page fault takes longer, in nanoseconds: a system call that does nothing takes so long.
const FASTEST_FAULT_NS: u64 = 20;
/// So many times its probe no phase takes, unless a contract computes in it. The probe maps, writes and unmaps the same pages.
const FARTHEST: u64 = 100;

/// A process with one of its rounds.
type Round = (u32, u32);

/// Makes sure that times are possible; what is odd and need not be wrong is returned, a sentence each.
pub(super) fn plausible(
    rounds: &BTreeMap<Round, Vec<Sample<'_>>>,
    points: &[Point],
    run: &RunFile,
) -> Result<Vec<String>, String> {
    each_for_itself(run.plan.experiment, rounds)?;
    let host_page = run.machine.page_size.map_or(HOST_PAGE, |size| size.0.max(HOST_PAGE));
    let experiment = run.plan.experiment;
    let least = |point| super::faults::least_faults(experiment, point, host_page);
    let pages: Vec<u64> = points.iter().map(least).collect();
    let impossible = |row: &Sample<'_>| impossible(experiment, row, pages[row.place.point as usize]);
    for (&(process, round), rows) in rounds {
        let wrong: Vec<(&Sample<'_>, &str)> =
            rows.iter().filter_map(|row| impossible(row).map(|what| (row, what))).collect();
        if wrong.len() * 2 > rows.len() {
            let (row, what) = wrong[0];
            return Err(format!(
                "process {process}, round {round}: in {} of its {} rows {what}, first in row {}",
                wrong.len(),
                rows.len(),
                row.place.order
            ));
        }
        if let Some(row) = rows.iter().find(|row| probe_of(experiment, row) == Some(0)) {
            let order = row.place.order;
            return Err(format!("process {process}, round {round}, row {order}: the probe took no time"));
        }
        if too_long(rows, run) {
            return Err(format!(
                "process {process}, round {round} took far longer than the time that the run was planned for"
            ));
        }
    }
    let mut of_points: BTreeMap<u32, (usize, usize, &str)> = BTreeMap::new();
    for row in rounds.values().flatten() {
        let (all, wrong, why) = of_points.entry(row.place.point).or_default();
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

/// The time of the reference probe beside a cycle, if its experiment has one.
fn probe_of(experiment: &Experiment, row: &Sample<'_>) -> Option<u64> {
    experiment.probe().map(|probe| row.values[probe])
}

/// Why a cycle cannot have been measured, or does something else than what is measured. Only phases that are part of the cost tell.
fn impossible(experiment: &Experiment, row: &Sample<'_>, pages: u64) -> Option<&'static str> {
    let priced = || experiment.phases.iter().zip(row.values).filter(|(phase, _)| phase.price == Price::Added);
    let longest = priced().map(|(_, &time)| time).max().unwrap_or(0);
    // A touch of no page takes none; what faults takes longer than its faults must.
    if longest < pages * FASTEST_FAULT_NS {
        return Some("no phase took as long as its page faults must take");
    }
    if priced().any(|(phase, &time)| time == 0 && (pages > 0 || !phase.touches)) {
        return Some("a phase took no time");
    }
    let probe = probe_of(experiment, row)?;
    if probe == 0 {
        return Some("the probe took no time");
    }
    // What touches no page, as a load, has a probe of another size beside it.
    if pages > 0 && longest > probe.saturating_mul(FARTHEST) {
        return Some("a phase took over 100 times as long as the probe beside it");
    }
    if pages > 0 && longest.saturating_mul(FARTHEST) < probe {
        return Some("the probe took over 100 times as long as any phase of the same pages");
    }
    None
}

/// Whether half of the rows of a round would fill so many times the share of the budget that it was planned by. Where the fewest
/// rounds take longer than the budget it bounds nothing.
fn too_long(rows: &[Sample<'_>], run: &RunFile) -> bool {
    const FEWEST: u32 = 2;
    const TIMES: f64 = 100.0;
    let Some(rounds) = run.rounds.filter(|rounds| *rounds > FEWEST) else { return false };
    let times_of = run.plan.experiment.phases.len() + usize::from(run.plan.experiment.reference.is_some());
    let mut times: Vec<u64> = rows.iter().map(|row| row.values[..times_of].iter().sum()).collect();
    times.sort_unstable();
    // A machine that stopped in some cycles has not made the others longer.
    times.truncate(times.len() - times.len() / 10);
    let seconds = times.iter().map(|&time| std::time::Duration::from_nanos(time).as_secs_f64()).sum::<f64>();
    let share = run.plan.budget.as_secs_f64() / f64::from(run.plan.processes) / f64::from(rounds);
    seconds > TIMES * share
}

/// Makes sure that no round holds the times of another one: nothing is measured alike to the nanosecond, row by row.
fn each_for_itself(experiment: &Experiment, rounds: &BTreeMap<Round, Vec<Sample<'_>>>) -> Result<(), String> {
    let mut seen: HashMap<(u32, &[u64]), Round> = HashMap::new();
    let is_long = |row: &&Sample<'_>| {
        let times = row.values.iter().enumerate().filter(|(value, _)| experiment.is_time(*value));
        times.map(|(_, &time)| time).max() >= Some(LONG_NS)
    };
    for (&(process, round), rows) in rounds {
        let rows: Vec<&Sample<'_>> = rows.iter().filter(is_long).collect();
        if rows.len() < TELLING {
            continue;
        }
        let mut alike: BTreeMap<Round, usize> = BTreeMap::new();
        for row in &rows {
            match seen.entry((row.place.point, row.values)) {
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
    use crate::measure::{Place, RunFolder, Samples};

    /// The stored run, every time as many times as long, as if so many rounds had been planned.
    fn stretched(times: u64, rounds: u32) -> Result<Vec<String>, String> {
        let folder = RunFolder::at(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run"));
        let run = RunFile { rounds: Some(rounds), ..folder.read().unwrap() };
        let samples = folder.read_samples(&run).unwrap().samples;
        let experiment = run.plan.experiment;
        let samples = samples.changed(|_, place, values| {
            (0..values.len()).filter(|&value| experiment.is_time(value)).for_each(|value| values[value] *= times);
            Some(place)
        });
        let mut by_round: BTreeMap<Round, Vec<Sample<'_>>> = BTreeMap::new();
        for sample in samples.iter() {
            by_round.entry((sample.place.process, sample.place.round)).or_default().push(sample);
        }
        plausible(&by_round, &samples.points, &run)
    }

    /// A run of the experiment on metadata ended by it, of which two cycles of three take less than a microsecond.
    #[test]
    fn short_times_that_recur_are_no_copies_and_long_ones_are() {
        let cache = &crate::experiment::cache::CACHE;
        let long = |round: u32| if round < 2 { 50_000 + u64::from(round) * 1000 } else { 50_000 };
        let copied = |rounds: u32| {
            let mut samples = Samples::of(cache, vec![Point::default(); 10]);
            for (round, point) in (0..rounds).flat_map(|round| (0..10).map(move |point| (round, point))) {
                let mut values = vec![0; cache.values()];
                values[0] = if point < 4 { long(round) + u64::from(point) } else { 70 };
                values[1] = 40;
                samples.push(Place { process: 0, round, order: point, point }, &values);
            }
            let mut by_round: BTreeMap<Round, Vec<Sample<'_>>> = BTreeMap::new();
            for sample in samples.iter() {
                by_round.entry((0, sample.place.round)).or_default().push(sample);
            }
            each_for_itself(cache, &by_round)
        };
        assert_eq!(copied(2), Ok(()));
        assert!(copied(3).unwrap_err().contains("round 2 has the very times of process 0, round 0"));
    }

    #[test]
    fn a_round_cannot_take_far_longer_than_it_was_planned_by() {
        assert_eq!(stretched(1, 20), Ok(Vec::new()));
        let error = stretched(1000, 20).unwrap_err();
        assert!(error.contains("process 0, round 0 took far longer"), "{error}");
        assert_eq!(stretched(1000, 2), Ok(Vec::new()), "the fewest rounds may take longer than the budget");
    }
}
