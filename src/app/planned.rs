use super::error::Error;
use crate::contract::{Artifact, Limits, read_artifacts};
use crate::measure::{ArtifactHash, RunFile, RunFolder};

/// A run whose folder is made, with all that a worker or a later fit needs.
#[derive(Debug)]
pub struct PlannedRun {
    /// Its folder.
    pub folder: RunFolder,
    /// What `run.toml` holds.
    pub run: RunFile,
    /// Whether the folder was made just now, so that it may be removed if nothing is measured.
    pub(super) fresh: bool,
}

/// The artifacts by name and hash.
pub(super) fn artifact_hashes(artifacts: &[Artifact]) -> Vec<ArtifactHash> {
    let hash = |artifact: &Artifact| ArtifactHash {
        contract: artifact.contract.clone(),
        variant: artifact.variant.clone(),
        sha256: artifact.sha256.clone(),
    };
    artifacts.iter().map(hash).collect()
}

/// The modules of a run, none of an experiment on something other than calls.
pub(super) fn artifacts_of(folder: &RunFolder, run: &RunFile) -> Result<Vec<Artifact>, Error> {
    if run.artifacts.is_empty() {
        return Ok(Vec::new());
    }
    let most = run.plan.pages_max;
    Ok(read_artifacts(&folder.artifacts(), Limits { initial_pages_max: most, pages_max: most })?)
}
