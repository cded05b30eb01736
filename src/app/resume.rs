use std::path::Path;

use super::error::Error;
use super::planned::{PlannedRun, artifact_hashes, artifacts_of};
use super::stored::run_folder;
use crate::host::Host;
use crate::measure::build;
use crate::runtime::WASMTIME_VERSION;

/// A run that was interrupted or killed, to be measured further: on the machine that began it, with the build, the Wasmtime
/// and the modules that it began with.
///
/// # Errors
/// The folder holds no run, or one that cannot go on here.
pub fn resume_run(folder: &Path) -> Result<PlannedRun, Error> {
    let folder = run_folder(folder)?;
    let run = folder.read()?;
    let other = |what: String| Err(Error::Incompatible(format!("run {} cannot go on here: {what}", run.run)));
    if run.wasmtime != WASMTIME_VERSION {
        return other(format!("it measured Wasmtime {}, and this is {WASMTIME_VERSION}", run.wasmtime));
    }
    if let Some(began) = run.build.as_ref().filter(|began| **began != build()) {
        return other(format!("it began with {began}, and this is {}: their times do not belong together", build()));
    }
    let here = Host::here().fingerprint.class();
    if here.is_none() || here != run.machine.class() {
        return other(format!("it began on another machine, {}", run.machine.summary()));
    }
    let artifacts = artifact_hashes(&artifacts_of(&folder, &run)?);
    if let Some(changed) = run.artifacts.iter().find(|artifact| !artifacts.contains(artifact)) {
        return other(format!("module {}/{} is not the one that it began with", changed.contract, changed.variant));
    }
    Ok(PlannedRun { folder, run, fresh: false })
}
