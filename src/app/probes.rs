//! How fast machines are, by the probes of their runs.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::receive::is_name;
use crate::history::Record;
use crate::model::Fit;

/// The probes of runs, of which each is read once.
#[derive(Debug)]
pub struct Probes {
    reports: PathBuf,
    known: Mutex<HashMap<String, Option<f64>>>,
}

impl Probes {
    /// Of the runs in this folder.
    #[must_use]
    pub fn new(reports: &Path) -> Self {
        Self { reports: reports.to_owned(), known: Mutex::default() }
    }

    /// How many times as long the probes of these runs took as on the reference machine, by machine class. Of a run without probes or
    /// folder nothing is known.
    pub fn of(&self, runs: &[Record]) -> Vec<(String, f64)> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|run, _| runs.iter().any(|record| record.run == *run));
        let mut of = |record: &Record| {
            // A history that was put together elsewhere may hold any name.
            let read =
                || is_name(&record.run).then(|| ratio(&self.reports.join(&record.run).join("fit.json"))).flatten();
            let probe = *known.entry(record.run.clone()).or_insert_with(read);
            Some((record.machine.clone(), probe?))
        };
        runs.iter().filter_map(&mut of).collect()
    }
}

/// The geometric mean over the points of the strategy that the chain runs.
fn ratio(fit: &Path) -> Option<f64> {
    let fit: Fit = serde_json::from_reader(BufReader::new(File::open(fit).ok()?)).ok()?;
    let points = &fit.strategy(&fit.chain_strategy)?.points;
    let logs: Vec<f64> = points.iter().filter_map(|point| Some(point.probe_ratio()?.ln())).collect();
    #[expect(clippy::cast_precision_loss, reason = "points are far fewer than 2^53")]
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    Some(mean.exp()).filter(|ratio| ratio.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_that_take_twice_as_long_are_of_a_machine_half_as_fast() {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/example/fit.json");
        let of_example = ratio(&example).unwrap();
        assert!((0.5..2.0).contains(&of_example), "{of_example}");
        // Probes that take twice as long, by every median of them.
        let mut fit: Fit = serde_json::from_reader(File::open(&example).unwrap()).unwrap();
        for point in fit.strategies.iter_mut().flat_map(|strategy| &mut strategy.points) {
            point.probe.iter_mut().for_each(|probe| probe.0 *= 2.0);
        }
        let folder = tempfile::tempdir().unwrap();
        let slower = folder.path().join("fit.json");
        serde_json::to_writer(File::create(&slower).unwrap(), &fit).unwrap();
        assert!((ratio(&slower).unwrap() / of_example - 2.0).abs() < 1e-9);
        assert_eq!(ratio(&folder.path().join("none")), None);
    }
}
