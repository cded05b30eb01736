//! Stored samples held against the plan of their run.

use std::collections::{BTreeMap, BTreeSet};

use super::faults::least_of;
use super::plausible::plausible;
use super::run_file::read as read_file;
use super::{MeasureError, Place, ReadSamples, RunFile, RunFolder, Sample, Samples, Stop, read_samples};
use crate::contract::sha256_hex;
use crate::units::HOST_PAGE;

impl RunFolder {
    /// Reads the samples of this folder and makes sure that they are those of its run: of its processes and its points, in whole rounds
    /// in the order that the seed of the plan gives them, each measured for itself, with times and page faults that a machine can take.
    ///
    /// A last round that a kill left in part is left out, with a warning.
    ///
    /// # Errors
    /// As [`read_samples()`], or [`MeasureError::Foreign`] if the samples are not those of the run.
    pub fn read_samples(&self, run: &RunFile) -> Result<ReadSamples, MeasureError> {
        let path = self.samples();
        let points = run.plan.points.iter().map(|planned| planned.point.clone()).collect();
        let mut read = read_samples(&path, run.plan.experiment, points)?;
        verify(&mut read, run).map_err(|message| MeasureError::Foreign { path: path.clone(), message })?;
        if run.samples.as_ref().is_some_and(|known| read_file(&path).is_ok_and(|bytes| sha256_hex(&bytes) != *known)) {
            let run = &run.run;
            read.lacks.push(format!("{} is not as run {run} left it: it was changed since", path.display()));
        }
        Ok(read)
    }
}

/// Most rounds of a process, as in `run.toml`.
const MOST_ROUNDS: u32 = 1_000_000;

/// A process and one of its rounds.
type Round = (u32, u32);

fn verify(read: &mut ReadSamples, run: &RunFile) -> Result<(), String> {
    read.warnings.extend(cut_off(&mut read.samples, run));
    enough_faults(&read.samples, run)?;
    let mut rounds: BTreeMap<Round, Vec<Sample<'_>>> = BTreeMap::new();
    let all: Vec<Sample<'_>> = read.samples.iter().collect();
    for rows in all.chunk_by(|a, b| round_of(&a.place) == round_of(&b.place)) {
        let (process, round) = round_of(&rows[0].place);
        if rounds.insert((process, round), rows.to_vec()).is_some() {
            return Err(format!("process {process}, round {round} is there twice"));
        }
        as_planned(rows, run)?;
    }
    read.lacks.extend(processes(&rounds.keys().copied().collect(), run)?);
    let warnings = plausible(&rounds, &read.samples.points, run)?;
    read.lacks.extend(warnings);
    Ok(())
}

fn round_of(place: &Place) -> Round {
    (place.process, place.round)
}

/// Makes sure that a round has its points in the order that the seed gives it: no other run and no other process has that one.
fn as_planned(rows: &[Sample<'_>], run: &RunFile) -> Result<(), String> {
    let (process, round) = round_of(&rows[0].place);
    let planned = run.plan.order(process, round);
    if rows.len() != planned.len() {
        let (rows, planned) = (rows.len(), planned.len());
        return Err(format!("process {process}, round {round} has {rows} rows where the plan has {planned}"));
    }
    match rows.iter().zip(planned).find(|(row, planned)| row.place.point != *planned) {
        Some((row, planned)) => Err(format!(
            "process {process}, round {round}, row {} is of point {}, where the plan's seed puts point {planned}",
            row.place.order, row.place.point
        )),
        None => Ok(()),
    }
}

/// Cuts the last round off if rows of it are missing and the run has not ended by its plan: a kill or a full disk leaves it so.
fn cut_off(samples: &mut Samples, run: &RunFile) -> Option<String> {
    let open = matches!(run.stopped, None | Some(Stop::Interrupted));
    let places = samples.places();
    let last = places.last().map(round_of).filter(|_| open)?;
    let planned = run.plan.cycles_per_round();
    let rows = places.iter().rev().take_while(|place| round_of(place) == last).count();
    if rows >= planned {
        return None;
    }
    samples.truncate(samples.len() - rows);
    let (process, round) = last;
    Some(format!(
        "process {process}, round {round} was cut off after {rows} of its {planned} rows and is left out; to go on: estimator run \
         --resume"
    ))
}

fn enough_faults(samples: &Samples, run: &RunFile) -> Result<(), String> {
    let host_page = run.machine.page_size.map_or(HOST_PAGE, |size| size.0.max(HOST_PAGE));
    for check in samples.experiment.checks {
        let least: Vec<u64> = samples.points.iter().map(|point| least_of(check, point, host_page)).collect();
        let value = samples.experiment.counter(check.counter);
        let few = samples.iter().find(|sample| sample.values[value] < least[sample.place.point as usize]);
        if let Some(Sample { place: Place { process, round, order, point }, values }) = few {
            return Err(format!(
                "process {process}, round {round}, row {order}: {} page faults where {} must take {}",
                values[value],
                samples.points[point as usize].label(),
                least[point as usize]
            ));
        }
    }
    Ok(())
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
    if let Some((process, round)) = rounds.iter().find(|(_, round)| *round >= MOST_ROUNDS) {
        return Err(format!("process {process}, round {round}: a process has {MOST_ROUNDS} rounds at most"));
    }
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
    let missing: u64 = own[..due].iter().map(|&first| u64::from(each - stored(first))).sum();
    let all = u64::from(each) * due as u64;
    Ok((missing > 0).then(|| {
        format!("{missing} of the {all} rounds of run {} are not in its samples: {}", run.run, lacking.join(", "))
    }))
}
