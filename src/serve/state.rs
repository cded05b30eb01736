use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tokio::sync::Semaphore;

use super::doors::Doors;
use super::in_force::InForce;
use super::kept::Kept;
use super::log::{Log, entry};
use super::metrics::Metrics;
use super::settings::ServeSettings;
use super::store::Store;
use super::uploads::Uploads;
use super::{answer, body, limits};
use crate::app::receive::clear;
use crate::app::{Error, Probes};
use crate::history::{HistoryError, Lock};

/// What all requests share.
pub(super) struct Service {
    pub(super) doors: Doors,
    pub(super) store: Store,
    pub(super) in_force: InForce,
    pub(super) metrics: Metrics,
    pub(super) log: Log,
    /// Those who may be worked for at once.
    pub(super) requests: Semaphore,
    /// The memory for bodies.
    pub(super) bodies: Arc<Semaphore>,
    /// The memory for answers.
    pub(super) answers: Arc<Semaphore>,
    /// Contracts that are priced at once.
    pub(super) pricing: Arc<Semaphore>,
    /// What is looked up in the history and made of it at once.
    pub(super) reading: Arc<Semaphore>,
    /// Probes of readiness, which do not wait for pages.
    pub(super) probing: Arc<Semaphore>,
    /// Pages of the history as it is.
    pub(super) kept: Kept,
    pub(super) probes: Probes,
    pub(super) reports: PathBuf,
    pub(super) uploads: Uploads,
    _alone: Option<Lock>,
}

impl Service {
    /// Opens what the settings name.
    ///
    /// # Errors
    /// The tokens or the history cannot be read.
    pub(super) fn open(settings: &ServeSettings, log: Log) -> Result<Arc<Self>, Error> {
        let alone = alone(&settings.reports, &log)?;
        clear(&settings.reports)?;
        let store = Store::new(&settings.history, &settings.reports, Arc::clone(&log))?;
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Arc::new(Self {
            _alone: alone,
            doors: Doors::new(settings)?,
            store,
            in_force: InForce::new(&settings.params),
            metrics: Metrics::new(),
            log,
            requests: Semaphore::new(limits::REQUESTS),
            bodies: body::memory(),
            answers: answer::memory(),
            reports: settings.reports.clone(),
            uploads: Uploads::new(settings.chain.as_deref())?,
            pricing: Arc::new(Semaphore::new(processors)),
            reading: Arc::new(Semaphore::new(2 * processors)),
            probing: Arc::new(Semaphore::new(1)),
            kept: Kept::default(),
            probes: Probes::new(&settings.reports),
        }))
    }
}

/// Makes sure that no other service receives runs into the same folder, of whose uploads this one would take the files away. A folder
/// that nobody may write to receives none.
fn alone(reports: &Path, log: &Log) -> Result<Option<Lock>, Error> {
    match Lock::take(&reports.join(".serve.lock"), &format!("process {}", std::process::id())) {
        Ok(lock) => Ok(Some(lock)),
        Err(HistoryError::Locked { holder, .. }) => {
            Err(Error::Usage(format!("another service receives runs into {}: {holder}", reports.display())))
        }
        Err(error) => {
            entry(log, "read-only", json!({ "cause": error.to_string() }));
            Ok(None)
        }
    }
}
