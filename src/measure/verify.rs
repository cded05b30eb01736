//! Stored samples held against the plan of their run.

use std::collections::{BTreeMap, BTreeSet};

use super::{DesignPoint, MeasureError, ReadSamples, RunFile, RunFolder, read_samples};
use crate::runtime;
use crate::units::HOST_PAGE;

impl RunFolder {
    /// Reads the samples of this folder and makes sure that they are those of its run: of its name, its points, in whole rounds, and
    /// with the page faults that their touch must have taken.
    ///
    /// # Errors
    /// As [`read_samples()`], or [`MeasureError::Foreign`] if the samples are not those of the run.
    pub fn read_samples(&self, run: &RunFile) -> Result<ReadSamples, MeasureError> {
        let path = self.samples();
        let read = read_samples(&path)?;
        verify(&read, run).map_err(|message| MeasureError::Foreign { path, message })?;
        Ok(read)
    }
}

fn verify(read: &ReadSamples, run: &RunFile) -> Result<(), String> {
    if let Some(name) = read.run.as_ref().filter(|name| **name != run.run) {
        return Err(format!("the samples are of run `{name}`, but run.toml is of `{}`", run.run));
    }
    let planned: BTreeSet<&DesignPoint> = run.plan.points.iter().map(|planned| &planned.point).collect();
    if let Some(point) = read.samples.points.iter().find(|point| !planned.contains(point)) {
        return Err(format!("the plan has no point {}", point.label()));
    }
    let host_page = run.machine.page_size.map_or(HOST_PAGE, |size| size.0.max(HOST_PAGE));
    let least_faults: Vec<u64> = read.samples.points.iter().map(|point| least_faults(point, host_page)).collect();
    let mut rounds: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for round in read.samples.samples.chunk_by(|a, b| (a.process, a.round) == (b.process, b.round)) {
        *rounds.entry((round[0].process, round[0].round)).or_default() += round.len();
    }
    for sample in &read.samples.samples {
        let least = least_faults[sample.point as usize];
        if sample.minor_faults < least {
            let (process, round, order) = (sample.process, sample.round, sample.order);
            return Err(format!(
                "process {process}, round {round}, order {order}: {} page faults where touching {} must take {least}",
                sample.minor_faults, read.samples.points[sample.point as usize].touched_pages
            ));
        }
    }
    let whole = run.plan.cycles_per_round();
    let last = read.samples.samples.last().map(|sample| (sample.process, sample.round));
    match rounds.into_iter().find(|&(round, cycles)| cycles != whole && Some(round) != last) {
        Some(((process, round), cycles)) => {
            Err(format!("process {process}, round {round} has {cycles} rows where the plan has {whole}"))
        }
        None => Ok(()),
    }
}

/// The page faults that a first touch of this point must take.
fn least_faults(point: &DesignPoint, host_page: u64) -> u64 {
    let every_page = runtime::find(&point.strategy).is_some_and(runtime::Strategy::every_page_faults);
    if every_page { point.touched_pages.bytes().0.div_ceil(host_page) } else { 0 }
}
