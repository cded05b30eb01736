//! Stored samples held against the plan of their run.

use std::collections::{BTreeMap, BTreeSet};

use super::plausible::plausible;
use super::{DesignPoint, MeasureError, ReadSamples, RunFile, RunFolder, Sample, Samples, Stop, read_samples};
use crate::runtime;
use crate::units::HOST_PAGE;

impl RunFolder {
    /// Reads the samples of this folder and makes sure that they are those of its run: of its name, its processes and its points, in
    /// whole rounds as the plan has them, each measured for itself, with times and page faults that a machine can take.
    ///
    /// A last round that a kill left in part is left out, with a warning.
    ///
    /// # Errors
    /// As [`read_samples()`], or [`MeasureError::Foreign`] if the samples are not those of the run.
    pub fn read_samples(&self, run: &RunFile) -> Result<ReadSamples, MeasureError> {
        let path = self.samples();
        let mut read = read_samples(&path)?;
        verify(&mut read, run).map_err(|message| MeasureError::Foreign { path, message })?;
        Ok(read)
    }
}

/// A process and one of its rounds.
type Round = (u32, u32);

fn verify(read: &mut ReadSamples, run: &RunFile) -> Result<(), String> {
    if let Some(name) = read.run.as_ref().filter(|name| **name != run.run) {
        return Err(format!("the samples are of run `{name}`, but run.toml is of `{}`", run.run));
    }
    let repeats: BTreeMap<&DesignPoint, usize> =
        run.plan.points.iter().map(|planned| (&planned.point, planned.repeats as usize)).collect();
    if let Some(point) = read.samples.points.iter().find(|point| !repeats.contains_key(point)) {
        return Err(format!("the plan has no point {}", point.label()));
    }
    read.warnings.extend(cut_off(&mut read.samples, run));
    enough_faults(&read.samples, run)?;
    let mut rounds: BTreeMap<Round, Vec<&Sample>> = BTreeMap::new();
    for sample in &read.samples.samples {
        rounds.entry((sample.process, sample.round)).or_default().push(sample);
    }
    for (&round, rows) in &rounds {
        whole(round, rows, &read.samples.points, &repeats)?;
    }
    read.lacks.extend(processes(&rounds.keys().copied().collect(), run)?);
    let warnings = plausible(&rounds, &read.samples.points, run)?;
    read.lacks.extend(warnings);
    Ok(())
}

/// Cuts the last round off if rows of it are missing and the run has not ended by its plan: a kill or a full disk leaves it so.
fn cut_off(samples: &mut Samples, run: &RunFile) -> Option<String> {
    let open = matches!(run.stopped, None | Some(Stop::Interrupted));
    let round_of = |sample: &Sample| (sample.process, sample.round);
    let last = samples.samples.last().map(round_of).filter(|_| open)?;
    let planned = run.plan.cycles_per_round();
    let rows = samples.samples.iter().rev().take_while(|sample| round_of(sample) == last).count();
    if rows >= planned {
        return None;
    }
    samples.samples.truncate(samples.samples.len() - rows);
    let (process, round) = last;
    Some(format!(
        "process {process}, round {round} was cut off after {rows} of its {planned} rows and is left out; to go on: estimator run \
         --resume"
    ))
}

fn enough_faults(samples: &Samples, run: &RunFile) -> Result<(), String> {
    let host_page = run.machine.page_size.map_or(HOST_PAGE, |size| size.0.max(HOST_PAGE));
    let least: Vec<u64> = samples.points.iter().map(|point| least_faults(point, host_page)).collect();
    match samples.samples.iter().find(|sample| sample.minor_faults < least[sample.point as usize]) {
        Some(&Sample { process, round, order, minor_faults, point, .. }) => Err(format!(
            "process {process}, round {round}, order {order}: {minor_faults} page faults where touching {} must take {}",
            samples.points[point as usize].touched_pages, least[point as usize]
        )),
        None => Ok(()),
    }
}

/// The page faults that a first touch of this point must take.
pub(super) fn least_faults(point: &DesignPoint, host_page: u64) -> u64 {
    let every_page = runtime::find(&point.strategy).is_some_and(runtime::Strategy::every_page_faults);
    if every_page { point.touched_pages.bytes().0.div_ceil(host_page) } else { 0 }
}

/// Every point as often as the plan has it, in places that are numbered from 0.
fn whole(
    (process, round): Round,
    rows: &[&Sample],
    points: &[DesignPoint],
    repeats: &BTreeMap<&DesignPoint, usize>,
) -> Result<(), String> {
    let place = format!("process {process}, round {round}");
    let planned: usize = repeats.values().sum();
    if rows.len() != planned {
        return Err(format!("{place} has {} rows where the plan has {planned}", rows.len()));
    }
    if let Some(beyond) = rows.iter().find(|row| row.order as usize >= planned) {
        return Err(format!("{place} has a row of order {} where the plan has {planned} rows", beyond.order));
    }
    let mut found: BTreeMap<&DesignPoint, usize> = BTreeMap::new();
    for row in rows {
        *found.entry(&points[row.point as usize]).or_default() += 1;
    }
    match repeats.iter().find(|(point, repeats)| found.get(*point).unwrap_or(&0) != *repeats) {
        Some((point, repeats)) => {
            let found = found.get(point).unwrap_or(&0);
            Err(format!("{place} has {found} rows of {} where the plan has {repeats}", point.label()))
        }
        None => Ok(()),
    }
}

/// Makes sure that every process and round is one that the run made, and says which of those are missing. What is left is as good as
/// it was, so missing rounds are no error.
fn processes(rounds: &BTreeSet<Round>, run: &RunFile) -> Result<Option<String>, String> {
    let planned = run.plan.processes;
    let own: Vec<u32> = (0..planned).filter(|&process| run.shard.is_none_or(|shard| shard.takes(process))).collect();
    let mut by_process: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &(process, round) in rounds {
        by_process.entry(process).or_default().push(round);
    }
    for &process in by_process.keys() {
        let first = process % planned;
        if !own.contains(&first) {
            let shard = run.shard.map(String::from).unwrap_or_default();
            return Err(format!("process {process} is not one of shard {shard}"));
        }
        // The one that took its place has the next number, so that a gap was never made.
        if process >= planned && !by_process.contains_key(&(process - planned)) {
            let before = process - planned;
            return Err(format!(
                "process {process} took the place of process {before}, which has no rows: the plan has {planned} processes"
            ));
        }
    }
    let stored = |first: u32| -> u32 {
        let same = by_process.iter().filter(|&(process, _)| process % planned == first);
        same.map(|(_, rounds)| u32::try_from(rounds.len()).unwrap_or(u32::MAX)).sum()
    };
    let Some(each) = run.rounds else { return Ok(None) };
    for &first in &own {
        if stored(first) > each {
            let replaced = by_process.keys().filter(|&process| process % planned == first).count();
            let with = if replaced > 1 { " with those that took its place" } else { "" };
            return Err(format!("process {first}{with} has {} rounds where the plan has {each}", stored(first)));
        }
    }
    let there = own.iter().rposition(|&first| stored(first) > 0).map_or(0, |last| last + 1);
    let of = own.len();
    let due = match run.stopped {
        Some(Stop::BudgetSpent) => of,
        // It stops after a half or three quarters of the processes.
        Some(Stop::PreciseEnough) => [of / 2, of * 3 / 4, of].into_iter().find(|&stop| stop >= there).unwrap_or(of),
        // The last one had not all its rounds when it ended.
        Some(Stop::Interrupted) | None => there.saturating_sub(1),
    };
    let lacking: Vec<String> = own[..due]
        .iter()
        .filter(|&&first| stored(first) < each)
        .map(|&first| format!("{} of process {first}", each - stored(first)))
        .collect();
    let missing: u32 = own[..due].iter().map(|&first| each - stored(first)).sum();
    let all = u64::from(each) * due as u64;
    Ok((missing > 0).then(|| {
        format!("{missing} of the {all} rounds of run {} are not in its samples: {}", run.run, lacking.join(", "))
    }))
}
