//! What the runs that are on their way have in common.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::UPLOADS;
use super::problem::Problem;
use crate::app::{Error, load_chain};
use crate::params::ChainSettings;

/// What uploads share.
pub(super) struct Uploads {
    /// Settings to fit for in place of each run's own.
    pub(super) chain: Option<ChainSettings>,
    places: Arc<Semaphore>,
    /// One fit after the other: each takes all processors.
    pub(super) fits: Arc<Semaphore>,
    /// Names of the runs that are on their way.
    names: Arc<Mutex<HashSet<String>>>,
}

impl Uploads {
    /// With the chain settings of this file.
    pub(super) fn new(chain: Option<&Path>) -> Result<Self, Error> {
        let chain = chain.map(load_chain).transpose()?.map(|(chain, _)| chain);
        Ok(Self {
            chain,
            places: Arc::new(Semaphore::new(UPLOADS)),
            fits: Arc::new(Semaphore::new(1)),
            names: Arc::default(),
        })
    }

    /// Makes sure that nobody else sends the run meanwhile.
    pub(super) fn claim(&self, name: &str) -> Result<Claim, Problem> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| Problem::busy("too many runs are on their way: send it again in a moment"))?;
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.insert(name.to_owned()) {
            return Ok(Claim { name: name.to_owned(), names: Arc::clone(&self.names), _place: place });
        }
        Err(Problem::busy(format!("the run {name} is on its way already: ask again in a moment")))
    }
}

/// A run that is on its way, until this is dropped.
pub(super) struct Claim {
    pub(super) name: String,
    names: Arc<Mutex<HashSet<String>>>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
    }
}
