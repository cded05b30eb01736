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

/// The record, fitted if the job ended between measuring and fitting; the folder then holds what that job would have left.
pub(crate) fn completed(record: Record, folder: &Path, session: &Session<'_>) -> Record {
    let Some(analysis) = analysed(&record, folder, session) else { return record };
    let record = record.fitted(analysis.fit(), analysis.table());
    let written = analysis.write().and_then(|()| Ok::<_, Error>(write_night(folder, &record)?));
    written.unwrap_or_else(|error| session.warn(&with_causes(&error)));
    record
}

/// The record of a run that was made by hand, fitted. Its folder stays as it is.
pub(crate) fn fitted(record: Record, folder: &Path, session: &Session<'_>) -> Record {
    match analysed(&record, folder, session) {
        Some(analysis) => record.fitted(analysis.fit(), analysis.table()),
        None => record,
    }
}

fn analysed(record: &Record, folder: &Path, session: &Session<'_>) -> Option<Analysis> {
    let folder = RunFolder::at(folder);
    let ended =
        |run: &RunFile| run.plan.experiment.proposes && run.stopped.is_some_and(|stop| stop != Stop::Interrupted);
    if record.outcome != Outcome::Unfinished || !folder.read().is_ok_and(|run| ended(&run)) {
        return None;
    }
    let analysis = Analysis::of_run(folder, Overrides::default(), session);
    analysis
        .inspect_err(|error| session.warn(&format!("run {} cannot be fitted: {}", record.run, with_causes(error))))
        .ok()
}
