//! The records that lie in the folders of runs.

use std::path::Path;

use crate::app::analysis::Analysis;
use crate::app::error::Error;
use crate::app::overrides::Overrides;
use crate::app::session::Session;
use crate::history::{HistoryError, Outcome, Record, read_night, recover, write_night};
use crate::measure::{RunFile, RunFolder, Stop};
use crate::text::with_causes;

/// Those of `nightly` in the folders of runs under `reports`. A damaged one is told and left out.
pub(crate) fn in_folders(reports: &Path, session: &Session<'_>) -> Result<Vec<Record>, HistoryError> {
    Ok(recover(reports)?.iter().filter_map(|folder| in_folder(folder, session)).collect())
}

/// The record in a run's folder, if it is one of `nightly` and can be read.
pub(crate) fn in_folder(folder: &Path, session: &Session<'_>) -> Option<Record> {
    match read_night(folder) {
        Ok(record) => record.map(|record| completed(record, folder, session)),
        Err(error) => {
            session.warn(&format!("{error}; the run is left out"));
            None
        }
    }
}

/// The record, fitted if the job ended between measuring and fitting.
pub(crate) fn completed(record: Record, folder: &Path, session: &Session<'_>) -> Record {
    if record.outcome != Outcome::Unfinished {
        return record;
    }
    let folder = RunFolder::at(folder);
    let ended =
        |run: &RunFile| run.plan.experiment.proposes && run.stopped.is_some_and(|stop| stop != Stop::Interrupted);
    if !folder.read().is_ok_and(|run| ended(&run)) {
        return record;
    }
    match Analysis::of_run(folder.clone(), Overrides::default(), session) {
        Ok(analysis) => {
            let record = record.fitted(analysis.fit(), analysis.table());
            let written = analysis.write().and_then(|()| Ok::<_, Error>(write_night(folder.path(), &record)?));
            written.unwrap_or_else(|error| session.warn(&with_causes(&error)));
            record
        }
        Err(error) => {
            session.warn(&format!("run {} cannot be fitted: {}", record.run, with_causes(&error)));
            record
        }
    }
}
