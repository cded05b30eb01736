//! The table in force that a proposal is held against: named, found where the run was made, or as the run keeps it.

use std::path::Path;

use super::error::{Error, system};
use super::session::Session;
use crate::experiment::{Experiment, MEMORY};
use crate::files::{is_taken, write_whole};
use crate::measure::RunFolder;
use crate::params::ParamTable;
use crate::report::InForce;
use crate::text::{read_found, with_causes};

/// Changes up to this many percent are of no interest, unless a threshold is given.
pub(super) const THRESHOLD: f64 = 2.0;

/// A threshold in percent that makes sense.
///
/// # Errors
/// What would be one.
pub fn percentage(percent: f64) -> Result<f64, &'static str> {
    Some(percent).filter(|percent| (0.0..=1000.0).contains(percent)).ok_or("write a percentage from 0 to 1000")
}

/// Where the table in force usually is.
const USUAL: &str = "params/current.toml";

/// A table in force, with the text that a run keeps of it.
#[derive(Debug, Clone)]
pub struct TableInForce {
    text: String,
    table: ParamTable,
    threshold: f64,
}

impl TableInForce {
    /// The table in this file.
    ///
    /// # Errors
    /// There is no such file, or it holds no table.
    pub fn named(file: &Path) -> Result<Self, Error> {
        if !file.is_file() {
            return Err(Error::Usage(format!("no table {}", file.display())));
        }
        Self::read(file)
    }

    /// For a new run: `params/current.toml` if it is there and can be read; for what is no memory only if it prices that.
    pub(super) fn usual(experiment: &Experiment, session: &Session<'_>) -> Option<Self> {
        let usual = Path::new(USUAL);
        let unread = |error: &Error| {
            session.warn(&format!("the proposal is held against no table: {}", with_causes(error)));
        };
        let in_force = is_taken(usual).then(|| Self::read(usual).inspect_err(unread).ok())?;
        in_force.filter(|in_force| *experiment == MEMORY || in_force.table.prices(experiment))
    }

    /// What stored runs were held against when they were made, wherever one stands now; `None` if they differ in it.
    pub(super) fn of_stored(runs: &[RunFolder], session: &Session<'_>) -> Result<Option<Self>, Error> {
        let mut kept = Vec::new();
        for run in runs {
            let file = run.in_force();
            kept.push(if file.is_file() { Some(Self::read(&file)?) } else { None });
        }
        let text = |of: &Option<Self>| of.as_ref().map(|of| of.text.clone());
        if kept.iter().any(|of| text(of) != text(&kept[0])) {
            session.note(
                "the runs were held against different tables, and together are against none: --current FILE names one",
            );
            return Ok(None);
        }
        Ok(kept.into_iter().next().flatten())
    }

    fn read(file: &Path) -> Result<Self, Error> {
        let text = read_found(file).map_err(system(format!("cannot read {}", file.display())))?;
        let table = ParamTable::parse(&text, file)?;
        Ok(Self { text, table, threshold: THRESHOLD / 100.0 })
    }

    /// The same, with changes up to this many percent of no interest.
    #[must_use]
    pub fn beyond(self, percent: f64) -> Self {
        Self { threshold: percent / 100.0, ..self }
    }

    /// Keeps it in the folder of a run, so that its reports can be made again from the folder alone.
    pub(super) fn keep(&self, run: &RunFolder) -> Result<(), Error> {
        Ok(write_whole(&run.in_force(), self.text.as_bytes())?)
    }

    /// For the reports.
    pub(super) fn shown(&self) -> InForce<'_> {
        InForce { table: &self.table, threshold: self.threshold }
    }
}
