use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::Semaphore;

use super::doors::Doors;
use super::in_force::InForce;
use super::log::{Log, entry};
use super::metrics::Metrics;
use super::settings::ServeSettings;
use super::store::Store;
use super::uploads::Uploads;
use super::{answer, body, limits};
use crate::app::Error;
use crate::app::receive::{clear, recover};

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
    pub(super) pricing: Semaphore,
    pub(super) reports: PathBuf,
    pub(super) uploads: Uploads,
}

impl Service {
    /// Opens what the settings name.
    ///
    /// # Errors
    /// The tokens or the history cannot be read.
    pub(super) fn open(settings: &ServeSettings, log: Log) -> Result<Arc<Self>, Error> {
        settings.check()?;
        clear(&settings.reports)?;
        let store = Store::new(&settings.history)?;
        let left: Vec<String> = store.with(|history| recover(&settings.reports, None, history))?;
        if !left.is_empty() {
            entry(&log, "recorded", json!({ "runs": left }));
        }
        Ok(Arc::new(Self {
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
            pricing: Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from)),
        }))
    }
}
