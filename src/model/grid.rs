//! Samples of one strategy, sorted by design point, process and round.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::error::ModelError;
use crate::experiment::{Experiment, Point};
use crate::measure::{Sample, Samples};

/// The cycles of some design points with the rounds and processes that they were taken in.
pub(crate) struct Grid<'a> {
    /// What was measured.
    pub(crate) experiment: &'static Experiment,
    /// The points.
    pub(crate) points: Vec<&'a Point>,
    /// For each point its cycles, each with the index of its round.
    pub(crate) cycles: Vec<Vec<(Sample<'a>, u32)>>,
    /// For each process, in the order in which they ran, the indices of its rounds.
    pub(crate) processes: Vec<Vec<u32>>,
    /// For each round the index of its process.
    pub(crate) process_of: Vec<u32>,
}

/// The strategies in the samples with the indices of their points.
///
/// # Errors
/// [`ModelError`] if there are no samples, or samples and points do not belong together.
pub(crate) fn strategies(samples: &Samples) -> Result<BTreeMap<&str, Vec<usize>>, ModelError> {
    if samples.is_empty() {
        return Err(ModelError::NoSamples);
    }
    let mut known = BTreeSet::new();
    let mut strategies: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, point) in samples.points.iter().enumerate() {
        if !known.insert(point) {
            return Err(ModelError::RepeatedPoint { point: point.label() });
        }
        strategies.entry(&point.strategy).or_default().push(index);
    }
    Ok(strategies)
}

impl<'a> Grid<'a> {
    /// The place of the reference probe among the values, if there is one beside every cycle.
    pub(crate) fn probe(&self) -> Option<usize> {
        let probe = self.experiment.probe()?;
        self.cycles.iter().flatten().all(|(sample, _)| sample.values[probe] > 0).then_some(probe)
    }

    /// Sorts the cycles of the chosen points.
    ///
    /// # Errors
    /// [`ModelError`] if a sample refers to no point or a chosen point has no sample.
    #[expect(clippy::cast_possible_truncation, reason = "there are no more rounds than samples, which are below 2^32")]
    pub(crate) fn new(samples: &'a Samples, chosen: &[usize]) -> Result<Self, ModelError> {
        let mut place = vec![None; samples.points.len()];
        for (position, &point) in chosen.iter().enumerate() {
            place[point] = Some(position);
        }
        let place_of = |index: usize, point: u32| {
            place.get(point as usize).copied().ok_or(ModelError::UnknownPoint {
                sample: index,
                point,
                points: place.len(),
            })
        };

        let mut keys = BTreeSet::new();
        let mut last = None;
        for (index, taken) in samples.places().iter().enumerate() {
            let key = (taken.process, taken.round);
            if place_of(index, taken.point)?.is_some() && last.replace(key) != Some(key) {
                keys.insert(key);
            }
        }
        let (mut processes, mut process_of): (Vec<Vec<u32>>, _) = (Vec::new(), Vec::with_capacity(keys.len()));
        let mut before = None;
        for (round, &(process, _)) in keys.iter().enumerate() {
            if before.replace(process) != Some(process) {
                processes.push(Vec::new());
            }
            process_of.push(processes.len() as u32 - 1);
            if let Some(rounds) = processes.last_mut() {
                rounds.push(round as u32);
            }
        }
        let rounds: HashMap<_, _> = keys.into_iter().zip(0u32..).collect();

        let mut cycles = vec![Vec::new(); chosen.len()];
        let mut current = ((0, 0), None);
        for sample in samples.iter() {
            let Some(position) = place[sample.place.point as usize] else { continue };
            let key = (sample.place.process, sample.place.round);
            if current.0 != key || current.1.is_none() {
                current = (key, rounds.get(&key).copied());
            }
            if let Some(round) = current.1 {
                cycles[position].push((sample, round));
            }
        }
        let points: Vec<_> = chosen.iter().map(|&index| &samples.points[index]).collect();
        for (point, cycles) in points.iter().zip(&cycles) {
            let label = || point.label();
            match cycles.as_slice() {
                [] => return Err(ModelError::Unmeasured { point: label() }),
                [(_, first), rest @ ..] if processes.len() == 1 && rest.iter().all(|(_, round)| round == first) => {
                    return Err(ModelError::SingleRound { point: label() });
                }
                _ => {}
            }
        }
        Ok(Self { experiment: samples.experiment, points, cycles, processes, process_of })
    }
}
