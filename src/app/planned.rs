use crate::contract::Artifact;
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
