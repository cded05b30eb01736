use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::contract::memory_export;
use crate::experiment::conditions::WRITE_WIDTH;
use crate::experiment::declared::ARTIFACT_BYTES;
use crate::experiment::memory::{DATA_BYTES, STACK_BYTES};
use crate::experiment::{Experiment, Levels, Point, WriteWidth};
use crate::files::write_whole;
use crate::measure::{MeasureError, Plan, PlannedPoint};
use crate::units::{Bytes, Pages};

/// What verification hands to its worker processes, in a folder of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Seed, strategy and limits.
    pub plan: Plan,
    /// Name of the strategy.
    pub strategy: String,
    /// The contracts.
    pub contracts: Vec<JobContract>,
}

/// One contract of a [`Job`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobContract {
    /// Number of its files in the folder.
    pub number: usize,
    /// How people name it.
    pub name: String,
    /// What tells it from another of that name.
    pub sha256: String,
    /// Pages of all its memories at instantiation.
    pub pages: Pages,
    /// Pages of its first memory.
    pub first_pages: Pages,
    /// How many memories it has.
    pub memories: u32,
    /// Whether it has a start function.
    pub has_start: bool,
    /// Bytes in its data segments.
    pub data_bytes: Bytes,
    /// Its stack, 0 where it does not tell.
    pub stack_bytes: Bytes,
    /// Its levels, where the experiment reads them from the module; none of its own where it is measured as a memory.
    pub levels: Option<Levels>,
}

impl Job {
    const FILE: &'static str = "job.json";

    /// To measure these contracts by a plan, each once a round: loaded, or with every byte written, which is what a charge covers.
    #[must_use]
    pub fn new(plan: &Plan, strategy: &str, contracts: Vec<JobContract>) -> Self {
        let points = contracts.iter().map(|contract| PlannedPoint { point: contract.point(strategy), repeats: 1 });
        let plan = Plan { points: points.collect(), ..plan.clone() };
        Self { plan, strategy: strategy.into(), contracts }
    }

    /// Writes it to a folder.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), MeasureError> {
        let path = folder.join(Self::FILE);
        let failed = |source| MeasureError::File { action: "write", path: path.clone(), source };
        let text = serde_json::to_vec(self).map_err(|e| failed(e.into()))?;
        write_whole(&path, &text).map_err(failed)
    }

    /// Reads it from a folder.
    ///
    /// # Errors
    /// The file is missing or is no job.
    pub fn read(folder: &Path) -> Result<Self, MeasureError> {
        let path = folder.join(Self::FILE);
        let failed = |source| MeasureError::File { action: "read", path: path.clone(), source };
        let job: Self = serde_json::from_slice(&fs::read(&path).map_err(failed)?).map_err(|e| failed(e.into()))?;
        // A plan is written without its points.
        Ok(Self::new(&job.plan, &job.strategy, job.contracts))
    }
}

impl JobContract {
    /// Where the module is, its memories exposed.
    #[must_use]
    pub fn module(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.wasm", self.number))
    }

    /// Where its compiled code is, once it has been tried.
    #[must_use]
    pub fn code(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.cwasm", self.number))
    }

    /// The same with what only its compiled code tells, which is there once it has been tried.
    #[must_use]
    pub fn compiled(self, experiment: &Experiment, folder: &Path) -> Self {
        let length = fs::metadata(self.code(folder)).map(|code| code.len());
        match (self.levels.clone(), length) {
            (Some(levels), Ok(length)) if experiment.factors.contains(&&ARTIFACT_BYTES) => {
                Self { levels: Some(levels.with(&ARTIFACT_BYTES, length)), ..self }
            }
            _ => self,
        }
    }

    /// The exports that are its memories.
    pub(super) fn exports(&self) -> Vec<String> {
        (0..self.memories).map(memory_export).collect()
    }

    fn point(&self, strategy: &str) -> Point {
        let variant: String = self.sha256.chars().take(8).collect();
        if let Some(levels) = &self.levels {
            return Point { contract: self.name.clone(), variant, strategy: strategy.into(), levels: levels.clone() };
        }
        Point::of_memory(&self.name, &variant, strategy, self.pages)
            .with(&STACK_BYTES, self.stack_bytes.0)
            .with(&DATA_BYTES, self.data_bytes.0)
            .with(&WRITE_WIDTH, WriteWidth::EveryByte as u64)
    }
}
