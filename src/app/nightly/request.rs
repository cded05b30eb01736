use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::app::plan_request::PlanRequest;
use crate::app::push::PushSettings;
use crate::history::GateSettings;
use crate::measure::Profile;

/// A night: what is measured, what it is held against, where it is kept, and who is told.
///
/// ```no_run
/// use estimator::app::Session;
/// use estimator::app::nightly::{NightRequest, nightly};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// estimator::app::serve_if_worker();
/// let outcome = nightly(&NightRequest::default(), &Session::new());
/// println!("{:?}", outcome.end?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NightRequest {
    /// What is measured, for how long, and where the folders of the runs are.
    pub plan: PlanRequest,
    /// The history.
    pub history: PathBuf,
    /// The table in force; `None` to hold the night against none. [`NightSettings::request`](super::NightSettings::request) takes
    /// `params/current.toml` if it is there.
    pub params: Option<PathBuf>,
    /// Where the proposed table goes.
    pub proposed: PathBuf,
    /// How changes are told from noise. Its threshold is a share, 0.02 for 2 %.
    pub gate: GateSettings,
    /// Names of the hazards with which nothing is measured.
    pub refuse: Vec<String>,
    /// Alerts.
    pub alert: AlertSettings,
    /// The service that the runs are sent to.
    pub push: Option<PushSettings>,
    /// A file for Prometheus.
    pub metrics: MetricsSettings,
    /// How long folders of runs are kept.
    pub keep: KeepSettings,
}

impl Default for NightRequest {
    fn default() -> Self {
        Self {
            plan: PlanRequest { profile: Profile::NIGHTLY, ..PlanRequest::default() },
            history: "reports/history.sqlite".into(),
            params: None,
            proposed: "params/proposed.toml".into(),
            gate: GateSettings::default(),
            refuse: Vec::new(),
            alert: AlertSettings::default(),
            push: None,
            metrics: MetricsSettings::default(),
            keep: KeepSettings::default(),
        }
    }
}

impl NightRequest {
    /// The file that lets one job work at a time.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.history.with_extension("lock")
    }
}

/// Where Prometheus finds what a night found, on machines without the service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MetricsSettings {
    /// A file in the folder that `node_exporter`'s textfile collector reads; `None` for none.
    pub textfile: Option<PathBuf>,
}

/// For how many nights folders of runs are kept, the last one counted; `None` for all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeepSettings {
    /// The samples and modules of a run, by far the most of its folder.
    pub samples: Option<u32>,
    /// Its folder.
    pub fits: Option<u32>,
}

/// How alerts are told, apart from what the environment says of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertSettings {
    /// A program with its arguments; empty for none.
    pub command: Vec<String>,
    /// How long the program or one POST may take.
    pub timeout: Duration,
    /// How often a POST is tried.
    pub tries: u32,
    /// The wait after the first failed try, which doubles from try to try.
    pub wait: Duration,
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self { command: Vec::new(), timeout: Duration::from_secs(10), tries: 5, wait: Duration::from_secs(2) }
    }
}
