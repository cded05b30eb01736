use std::fs;
use std::path::Path;

use super::chain::chain_of_run;
use super::choose::left_out;
use super::error::{Error, system};
use super::event::{Event, Stage};
use super::planned::PlannedRun;
use super::proposal::fit_settings;
use super::reference::{StatedOn, reference_of_run};
use super::session::Session;
use super::workers::Task;
use crate::host::{CpuTimes, State};
use crate::measure::{self, Conductor, MeasureError, Samples, Stop, conduct};
use crate::model::Rejection;
use crate::text::{quoted, with_causes};

/// Measures what is missing of a run, and notes in its folder why it ended.
///
/// # Errors
/// A contract is at fault, a worker process fails, or a file cannot be written. What was measured before is kept.
pub fn measure_run(planned: &mut PlannedRun, session: &Session<'_>) -> Result<Stop, Error> {
    session.tell(Event::Stoppable);
    let PlannedRun { folder, run, fresh } = planned;
    let chain = chain_of_run(folder)?;
    let start = session.workers.starter()?;
    let code = tempfile::tempdir().map_err(system("no folder for compiled code can be made"))?;
    let (path, code) = (folder.path(), code.path());
    let settings = fit_settings(&chain, run.plan.experiment, run.plan.seed);
    let stated_on = StatedOn::new(&reference_of_run(folder)?, run);
    let fitted = |samples: &Samples| stated_on.fit(samples, &settings, &chain.strategy).ok();
    let conductor = Conductor {
        worker: &|process| start(&Task::Measure { run: path.into(), code: code.into(), process }),
        preparer: &|| start(&Task::Prepare { run: path.into(), code: code.into() }),
        needed: &chain.strategy,
        interrupted: session.interrupted,
        watch: &|event| tell(session, event),
        precise_enough: &|samples| fitted(samples).is_some_and(|fit| fit.is_precise()),
        too_noisy: &|samples| {
            fitted(samples).is_some_and(|fit| !fit.refused.is_empty() || fit.rejected.iter().any(is_noise))
        },
    };
    let root = Path::new("/");
    let before = CpuTimes::read(root);
    let result = conduct(folder, run, &conductor);
    let stored = run.rounds.is_some();
    if stored {
        if let Err(error) = point_latest_at(path) {
            session.warn(&with_causes(&error));
        }
    } else if *fresh && !matches!(result, Ok(_) | Err(MeasureError::Busy { .. })) {
        // Nothing was measured, so there is nothing to keep, and the error tells all. Only who made the folder may remove it.
        let _ = fs::remove_dir_all(path);
    }
    let stop = match result {
        // Whoever holds the samples goes on with the run.
        Err(error) if stored && !matches!(error, MeasureError::Busy { .. }) => {
            let way_on =
                format!("the run stopped; what it measured is kept. To go on: estimator run --resume {}", quoted(path));
            return Err(Error::from(error).context(way_on));
        }
        other => other?,
    };
    run.hazards.retain(|hazard| hazard.name != CpuTimes::HAZARD);
    let steal = CpuTimes::steal(before, CpuTimes::read(root));
    if steal.state == State::Yes {
        session.tell(Event::Hazard(&steal));
    }
    run.hazards.push(steal);
    folder.end(run, stop)?;
    Ok(stop)
}

fn tell(session: &Session<'_>, event: measure::Event<'_>) {
    use measure::Event as Measured;
    let progress = |stage, done, of| session.tell(Event::Progress { stage, done, of });
    match event {
        Measured::Loading { number, of } => progress(Stage::Compiling, number, of),
        Measured::Checked { number, of } => progress(Stage::Checking, number, of),
        Measured::Round { number, of } => progress(Stage::MEASURING, number as usize, of as usize),
        Measured::LeftOut { strategy, reason } => session.note(&left_out(strategy, reason)),
        Measured::Slow { doing } => session.tell(Event::Slow { doing }),
        Measured::Process { number, of } => session.tell(Event::Process { number, of }),
        Measured::GoesOn { times } => {
            session.note(&format!("the run is too noisy to sign as it is: it goes on to {times} times its length"));
        }
    }
}

/// Makes `latest` lead to the run. Replacing a link by renaming another over it leaves no moment without one.
fn point_latest_at(run: &Path) -> Result<(), Error> {
    let (Some(out), Some(name)) = (run.parent(), run.file_name()) else { return Ok(()) };
    let latest = out.join("latest");
    if latest.symlink_metadata().is_ok() && !latest.is_symlink() {
        return Err(Error::Failed(format!(
            "{} is not a link: move it away, since it is to lead to the newest run",
            latest.display()
        )));
    }
    let draft = out.join(format!(".latest-{}", std::process::id()));
    std::os::unix::fs::symlink(name, &draft)
        .and_then(|()| fs::rename(&draft, &latest))
        .map_err(system(format!("cannot make the link {}", latest.display())))
}

/// Whether more rounds may mend what a fit is rejected for.
fn is_noise(rejection: &Rejection) -> bool {
    matches!(rejection, Rejection::NothingLeft { .. } | Rejection::NonPositiveCost { .. })
}
