//! A whole run: every process of the plan, each round stored as it comes, resumable at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;

use super::conductor::{Conductor, Event};
use super::prepare::prepare;
use super::run_file::read;
use super::samples_csv::SamplesFile;
use super::supervise::{Progress, Worker};
use super::{MeasureError, Plan, RunFile, RunFolder, Stop};

/// Fewest rounds in a process: one alone would leave nothing to tell its noise from.
const FEWEST_ROUNDS: u32 = 2;

/// Measures what is still missing of a run and stores it. A new run misses all.
///
/// # Errors
/// A worker fails or a file cannot be written. What was stored before stays usable.
pub fn conduct(folder: &RunFolder, run: &mut RunFile, conductor: &Conductor<'_>) -> Result<Stop, MeasureError> {
    let mut file = SamplesFile::append_to(&folder.samples(), run.plan.experiment)?;
    let mut done = recorded_rounds(folder, run)?;
    // How many there are to be is written before the first is measured.
    if run.rounds.is_none() && !done.is_empty() {
        let message = "it has rounds, and run.toml does not say how many there are to be".into();
        return Err(MeasureError::Foreign { path: folder.samples(), message });
    }
    if !prepare(folder, run, conductor)? {
        return Ok(Stop::Interrupted);
    }
    loop {
        let stop = measure_missing(folder, run, &mut file, &mut done, conductor)?;
        if stop != Stop::BudgetSpent || !goes_on(folder, run, conductor)? {
            return Ok(stop);
        }
    }
}

/// Whether a run that has measured all goes on to twice its length and then to three times, since it is too noisy. The further rounds
/// are then missing of each process, and another one measures them in its place.
fn goes_on(folder: &RunFolder, run: &mut RunFile, conductor: &Conductor<'_>) -> Result<bool, MeasureError> {
    let Some((rounds, length)) = run.rounds.zip(run.length.further()) else { return Ok(false) };
    if !folder.read_samples(run).is_ok_and(|read| (conductor.too_noisy)(&read.samples)) {
        return Ok(false);
    }
    let times = length.times();
    (conductor.watch)(Event::GoesOn { times });
    run.rounds = Some((rounds / run.length.times()).saturating_mul(times));
    run.length = length;
    folder.write(run)?;
    Ok(true)
}

/// Measures what is missing of each process.
fn measure_missing(
    folder: &RunFolder,
    run: &mut RunFile,
    file: &mut SamplesFile,
    done: &mut BTreeMap<u32, u32>,
    conductor: &Conductor<'_>,
) -> Result<Stop, MeasureError> {
    let plan = run.plan.clone();
    let processes: Vec<u32> =
        (0..plan.processes).filter(|&process| run.shard.is_none_or(|shard| shard.takes(process))).collect();
    let of = u32::try_from(processes.len()).unwrap_or(u32::MAX);

    for (number, &process) in (1..).zip(&processes) {
        let missing = |rounds: u32, done: &BTreeMap<u32, u32>| rounds.saturating_sub(rounds_of(&plan, done, process));
        if run.rounds.is_some_and(|rounds| missing(rounds, done) == 0) {
            continue;
        }
        if number > 2
            && [of / 2 + 1, of * 3 / 4 + 1].contains(&number)
            // What is wrong with the samples is said when all are there: what is still to be measured is not lost for it.
            && folder.read_samples(run).is_ok_and(|read| (conductor.precise_enough)(&read.samples))
        {
            return Ok(Stop::PreciseEnough);
        }
        (conductor.watch)(Event::Process { number, of });
        let started = next_number(&plan, done, process);
        let mut worker = Worker::start(&plan, started, (conductor.worker)(started))?;
        loop {
            match worker.next(conductor.interrupted)? {
                Progress::Warm(round_ns) => {
                    if run.rounds.is_none() {
                        run.rounds = Some(rounds_within_budget(&plan, round_ns));
                        folder.write(run)?;
                    }
                    worker.go_on(missing(run.rounds.unwrap_or(FEWEST_ROUNDS), done) > 0)?;
                }
                Progress::Round(round, cycles) => {
                    file.append_round(started, round, &cycles)?;
                    *done.entry(started).or_default() += 1;
                    let planned = run.rounds.unwrap_or(FEWEST_ROUNDS).saturating_mul(of);
                    (conductor.watch)(Event::Round { number: done.values().sum(), of: planned });
                    worker.go_on(missing(run.rounds.unwrap_or(FEWEST_ROUNDS), done) > 0)?;
                }
                Progress::Slow => (conductor.watch)(Event::Slow { doing: &worker.doing() }),
                Progress::Loading(_) | Progress::Checked | Progress::Unfit(..) | Progress::Refused(..) => {}
                Progress::Ended => break,
                Progress::Interrupted => return Ok(Stop::Interrupted),
            }
        }
    }
    Ok(Stop::BudgetSpent)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of the budget over a positive time"
)]
pub(super) fn rounds_within_budget(plan: &Plan, round_ns: u64) -> u32 {
    let share = plan.budget.as_secs_f64() * 1e9 / f64::from(plan.processes);
    #[expect(clippy::cast_precision_loss, reason = "a round is far shorter than 2^53 ns")]
    let rounds = share / round_ns.max(1) as f64;
    (rounds.round() as u32).max(FEWEST_ROUNDS)
}

/// A process that was killed cannot be continued: another address layout takes its place, under a number of its own.
fn next_number(plan: &Plan, done: &BTreeMap<u32, u32>, process: u32) -> u32 {
    (process..).step_by(plan.processes as usize).find(|number| !done.contains_key(number)).unwrap_or(process)
}

fn rounds_of(plan: &Plan, done: &BTreeMap<u32, u32>, process: u32) -> u32 {
    done.iter().filter(|&(&number, _)| number % plan.processes == process).map(|(_, &rounds)| rounds).sum()
}

/// Counts the stored rounds by process, having cut off a last one that a kill left in part.
///
/// The samples are held against the run first, so that nothing is cut off or added to a file that is another run's.
fn recorded_rounds(folder: &RunFolder, run: &RunFile) -> Result<BTreeMap<u32, u32>, MeasureError> {
    let path = folder.samples();
    let text = read(&path)?;
    let samples = folder.read_samples(run)?.samples;
    let places = samples.places();
    let last = places.last().map(|place| (place.process, place.round));
    let in_last = places.iter().rev().take_while(|place| Some((place.process, place.round)) == last).count();
    let whole = if in_last == run.plan.cycles_per_round() { places.len() } else { places.len() - in_last };

    // A reader skips lines that are blank, which no run writes; a row keeps its place among the others.
    let is_row = |line: &&[u8]| !line.trim_ascii().is_empty();
    let header_and_rows = whole + 1;
    let mut rows = 0;
    let kept = text.split_inclusive(|&byte| byte == b'\n').take_while(|line| {
        let wanted = rows < header_and_rows;
        rows += usize::from(is_row(line));
        wanted
    });
    let length: usize = kept.map(<[u8]>::len).sum();
    let cut = |source| MeasureError::File { action: "cut the unfinished round off", path: path.clone(), source };
    OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(length as u64)).map_err(cut)?;

    let stored: BTreeSet<(u32, u32)> = places[..whole].iter().map(|place| (place.process, place.round)).collect();
    let mut rounds = BTreeMap::new();
    for (process, _) in stored {
        *rounds.entry(process).or_insert(0) += 1;
    }
    Ok(rounds)
}
