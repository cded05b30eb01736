//! The levels of a real contract in the factors of an experiment, read from its module.

use super::deploy::deploy_levels;
use super::facts::FactsError;
use super::load::load_levels;
use crate::experiment::deploy::{CRANELIFT, VALIDATE, WINCH};
use crate::experiment::load::{LOAD, LOAD_COLD, LOAD_KEPT, LOAD_MEMORY};
use crate::experiment::{Experiment, Levels};

/// Reads the levels of a module.
type LevelsOf = fn(&[u8]) -> Result<Levels, FactsError>;

/// What reads them, by experiments.
static READERS: [(&[&Experiment], LevelsOf); 2] =
    [(&[&LOAD, &LOAD_COLD, &LOAD_MEMORY, &LOAD_KEPT], load_levels), (&[&VALIDATE, &CRANELIFT, &WINCH], deploy_levels)];

fn reader(experiment: &Experiment) -> Option<LevelsOf> {
    READERS.into_iter().find(|(of, _)| of.contains(&experiment)).map(|(_, read)| read)
}

/// Whether the levels of a real contract in the factors of an experiment can be read from its module.
#[must_use]
pub fn reads_levels(experiment: &Experiment) -> bool {
    reader(experiment).is_some()
}

/// The levels of a real contract in the factors of an experiment, read from its module; `None` where it is measured as a memory.
#[must_use]
pub fn levels_of(experiment: &Experiment, wasm: &[u8]) -> Option<Result<Levels, FactsError>> {
    reader(experiment).map(|read| read(wasm))
}
