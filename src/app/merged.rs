use std::collections::BTreeSet;

use super::error::Error;
use super::session::Session;
use super::stored::noted_samples;
use crate::measure::{RunFile, RunFolder, Samples, merge};

/// Runs of one machine put together.
pub(super) struct Merged {
    /// The first of them.
    pub run: RunFile,
    /// The samples of all.
    pub samples: Samples,
    /// What a table made of them must say that it lacks.
    pub lacking: Vec<String>,
    /// What it must say of their number, if there are several.
    pub note_of_several: Option<String>,
    /// The contracts that any of them left out.
    pub skipped: Vec<String>,
}

impl Merged {
    /// Reads them, having told what had to be repaired.
    pub(super) fn read(runs: &[RunFolder], session: &Session<'_>) -> Result<Self, Error> {
        let first = runs.first().ok_or_else(|| Error::Usage("no run is named".into()))?.read()?;
        let mut samples = Vec::new();
        let mut lacking = Vec::new();
        let mut shards = BTreeSet::new();
        let (mut names, mut skipped) = (Vec::new(), Vec::new());
        for folder in runs {
            let run = folder.read()?;
            let (stored, lacks) = noted_samples(folder, &run, session)?;
            lacking.extend(lacks);
            shards.extend(run.shard.map(String::from));
            samples.push(stored);
            names.push(run.run);
            skipped.extend(run.skipped);
        }
        if let Some(shard) = first.shard.filter(|shard| shards.len() < shard.count() as usize) {
            let there: Vec<String> = shards.into_iter().collect();
            lacking.push(format!("of {} shards only {} are in it", shard.count(), there.join(", ")));
        }
        let caution = "the intervals hold what differs between processes, not what changes from run to run";
        let note_of_several = (runs.len() > 1).then(|| format!("merged from {}: {caution}", names.join(", ")));
        Ok(Self { run: first, samples: merge(samples), lacking, note_of_several, skipped })
    }
}
