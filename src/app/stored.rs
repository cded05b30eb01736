//! Runs that are there already.

use std::env;
use std::io::ErrorKind;
use std::path::Path;

use super::error::{Error, system};
use super::session::Session;
use crate::experiment::Experiment;
use crate::measure::{RunFile, RunFolder, Samples};
use crate::params::UNKNOWN_MACHINE;

/// The run folder at this path, or where a link of that name leads.
///
/// # Errors
/// There is none, or it cannot be reached.
pub fn run_folder(path: &Path) -> Result<RunFolder, Error> {
    match path.canonicalize() {
        Ok(path) if path.join("run.toml").is_file() => {
            // Where a link leads is worth showing, the way from the root is not.
            let here = env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
            let short = path.strip_prefix(here).ok().filter(|short| *short != Path::new(""));
            Ok(RunFolder::at(short.unwrap_or(&path)))
        }
        Ok(_) => Err(Error::Usage(format!("{} is not a run folder: it has no run.toml", path.display()))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(Error::Usage(format!("no run folder {}: look into reports/ for its name", path.display())))
        }
        Err(error) => Err(system(format!("cannot reach the run folder {}", path.display()))(error)),
    }
}

/// What the run in this folder measures.
///
/// # Errors
/// There is no run, or its `run.toml` cannot be read.
pub fn experiment_of(run: &Path) -> Result<&'static Experiment, Error> {
    Ok(run_folder(run)?.read()?.plan.experiment)
}

/// The samples of a run, having told what had to be repaired.
pub(super) fn stored_samples(folder: &RunFolder, run: &RunFile, session: &Session<'_>) -> Result<Samples, Error> {
    noted_samples(folder, run, session).map(|(samples, _)| samples)
}

/// The same with what a table that is made of them must say.
pub(super) fn noted_samples(
    folder: &RunFolder,
    run: &RunFile,
    session: &Session<'_>,
) -> Result<(Samples, Vec<String>), Error> {
    let read = folder.read_samples(run)?;
    for warning in read.warnings.iter().chain(&read.lacks) {
        session.warn(warning);
    }
    Ok((read.samples, read.lacks))
}

/// The class of a run's machine, [`UNKNOWN_MACHINE`] if it has none.
pub(super) fn machine_class(run: &RunFile) -> String {
    run.machine.class().unwrap_or_else(|| UNKNOWN_MACHINE.to_owned())
}
