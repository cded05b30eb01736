//! The mix of calls that strategies are compared for: named, or as a run keeps it.

use std::io;
use std::path::Path;

use super::error::{Error, system};
use super::session::Session;
use crate::experiment::{Experiment, Point};
use crate::files::{is_taken, write_whole};
use crate::measure::RunFolder;
use crate::model::{Knots, Workload};
use crate::text::{read_found, read_text, with_causes};

/// How the note begins on a workload that a run keeps and that does not serve.
const LEFT_OUT: &str = "what calls of the kept workload cost is left out";

/// A workload with the text that a run keeps of it.
#[derive(Debug, Clone)]
pub struct NamedWorkload {
    text: String,
    pub(super) workload: Workload,
}

impl NamedWorkload {
    /// The workload in this file.
    ///
    /// # Errors
    /// There is no such file, or it holds no workload.
    pub fn named(file: &Path) -> Result<Self, Error> {
        if !file.exists() {
            return Err(Error::Usage(format!("no workload {}", file.display())));
        }
        Self::parse(file, read_text)
    }

    fn kept(file: &Path) -> Result<Self, Error> {
        if !file.is_file() {
            return Err(Error::Failed(format!("{} is no file", file.display())));
        }
        Self::parse(file, read_found)
    }

    fn parse(file: &Path, read: fn(&Path) -> io::Result<String>) -> Result<Self, Error> {
        let text = read(file).map_err(system(format!("cannot read {}", file.display())))?;
        Ok(Self { workload: Workload::parse(&text, file)?, text })
    }

    /// What stored runs were made with; `None` if they differ in it, if it was broken since, or if some of its calls lie beyond these
    /// points, which may be fewer than the runs measured. Nothing measured waits for it.
    pub(super) fn of_stored(runs: &[RunFolder], points: &[Point], session: &Session<'_>) -> Option<Self> {
        let mut kept: Vec<Option<Self>> = Vec::new();
        for run in runs {
            let file = run.workload();
            match is_taken(&file).then(|| Self::kept(&file)).transpose() {
                Ok(of) => kept.push(of),
                Err(error) => {
                    session.note(&format!("{LEFT_OUT}: {}; --workload FILE names another", with_causes(&error)));
                    return None;
                }
            }
        }
        let text = |of: &Option<Self>| of.as_ref().map(|of| of.text.clone());
        if kept.iter().any(|of| text(of) != text(&kept[0])) {
            session
                .note("the runs were made with different workloads, and together have none: --workload FILE names one");
            return None;
        }
        let kept = kept.into_iter().next().flatten()?;
        if let Err(error) = kept.check(points) {
            session.note(&format!("{LEFT_OUT}: {error}"));
            return None;
        }
        Some(kept)
    }

    /// Makes sure that these calls lie between the points.
    pub(super) fn check<'a>(&self, points: impl IntoIterator<Item = &'a Point>) -> Result<(), Error> {
        Ok(self.workload.within(&Knots::of(points))?)
    }

    /// Keeps it in the folder of a run, so that its reports can be made again from the folder alone.
    pub(super) fn keep(&self, run: &RunFolder) -> Result<(), Error> {
        Ok(write_whole(&run.workload(), self.text.as_bytes())?)
    }
}

/// Makes sure that a workload is named for an experiment that compares strategies.
pub(super) fn check_experiment(experiment: &Experiment) -> Result<(), Error> {
    if experiment.ranks {
        return Ok(());
    }
    let text = "--workload is a mix of calls for which strategies are compared: it goes with --experiment strategies";
    Err(Error::Usage(text.into()))
}
