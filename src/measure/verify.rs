//! Stored samples held against the plan of their run.

use std::collections::BTreeSet;

use super::{MeasureError, Place, ReadSamples, RunFile, RunFolder, read_samples};
use crate::experiment::{Experiment, Point};
use crate::runtime;
use crate::units::{HOST_PAGE, WASM_PAGE};

impl RunFolder {
    /// Reads the samples of this folder and makes sure that they are those of its run: in the order that its seed gives each
    /// round, and with the page faults that their touch must have taken.
    ///
    /// # Errors
    /// As [`read_samples()`], or [`MeasureError::Foreign`] if the samples are not those of the run.
    pub fn read_samples(&self, run: &RunFile) -> Result<ReadSamples, MeasureError> {
        let path = self.samples();
        let points = run.plan.points.iter().map(|planned| planned.point.clone()).collect();
        let read = read_samples(&path, run.plan.experiment, points)?;
        verify(&read, run).map_err(|message| MeasureError::Foreign { path, message })?;
        Ok(read)
    }
}

fn verify(read: &ReadSamples, run: &RunFile) -> Result<(), String> {
    let experiment = run.plan.experiment;
    let host_page = run.machine.page_size.map_or(HOST_PAGE, |size| size.0.max(HOST_PAGE));
    let least: Vec<Vec<(usize, u64)>> =
        read.samples.points.iter().map(|point| least_counts(experiment, point, host_page)).collect();
    let mut rounds: BTreeSet<(u32, u32)> = BTreeSet::new();
    let places = read.samples.places();
    for round in places.chunk_by(|a, b| (a.process, a.round) == (b.process, b.round)) {
        let Place { process, round: number, .. } = round[0];
        if !rounds.insert((process, number)) {
            return Err(format!("process {process}, round {number} is there twice"));
        }
        let planned = run.plan.order(process, number);
        let is_last = round.last() == places.last();
        if round.len() > planned.len() || (round.len() < planned.len() && !is_last) {
            let (rows, planned) = (round.len(), planned.len());
            return Err(format!("process {process}, round {number} has {rows} rows where the plan has {planned}"));
        }
        if let Some((place, planned)) = round.iter().zip(planned).find(|(place, planned)| place.point != *planned) {
            let (order, point) = (place.order, place.point);
            return Err(format!(
                "process {process}, round {number}, row {order} is of point {point}, where the plan's seed puts point {planned}"
            ));
        }
    }
    for sample in read.samples.iter() {
        let Place { process, round, order, point } = sample.place;
        if let Some(&(value, least)) =
            least[point as usize].iter().find(|&&(value, least)| sample.values[value] < least)
        {
            return Err(format!(
                "process {process}, round {round}, row {order}: {} page faults where {} must take {least}",
                sample.values[value],
                read.samples.points[point as usize].label()
            ));
        }
    }
    Ok(())
}

/// What the counters of a point must show, each with its place among the values.
fn least_counts(experiment: &Experiment, point: &Point, host_page: u64) -> Vec<(usize, u64)> {
    if !runtime::find(&point.strategy).is_some_and(runtime::Strategy::every_page_faults) {
        return Vec::new();
    }
    let pages = |factor| (point.level(factor) * WASM_PAGE).div_ceil(host_page);
    experiment.checks.iter().map(|check| (experiment.counter(check.counter), pages(check.host_pages_of))).collect()
}
