use std::path::PathBuf;
use std::time::Duration;

use super::error::{Error, system};
use super::reference::named_reference;
use super::session::Session;
use super::workers::Task;
use crate::files::write_whole;
use crate::host::Host;
use crate::measure::{PROBE, evicting, probe_in_worker};
use crate::model::Speed;
use crate::params::ReferenceMachine;

/// To hold this machine against a reference: is it as fast as the one that the fee is stated on?
///
/// ```no_run
/// use estimator::app::{CheckRequest, Session, check_reference};
///
/// # fn main() -> Result<(), estimator::app::Error> {
/// estimator::app::serve_if_worker();
/// if let Some(checked) = check_reference(&CheckRequest::default(), &Session::new())? {
///     println!("{:.3} times as long as on {}", checked.speed.ratio.value, checked.reference.name);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckRequest {
    /// The reference; `None` for `params/reference.toml` if it is there, otherwise the shipped one.
    pub reference: Option<PathBuf>,
}

/// A machine held against a reference.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedReference {
    /// The reference.
    pub reference: ReferenceMachine,
    /// How fast this machine is.
    pub speed: Speed,
    /// What this machine is unlike it in, a part of a sentence each.
    pub unlike: Vec<String>,
}

/// Worker processes: address layout and mood differ by process.
const PROCESSES: u32 = 8;

/// How long each of them probes.
pub(super) const EACH: Duration = Duration::from_millis(1050);

/// Measures the probe at the sizes of the reference for some ten seconds; `None` if a person asked to stop.
///
/// # Errors
/// The reference is of another probe, or evicts too little for this machine, or a worker process fails.
pub fn check_reference(request: &CheckRequest, session: &Session<'_>) -> Result<Option<CheckedReference>, Error> {
    let reference = named_reference(request.reference.as_deref())?;
    let host = Host::here();
    let other = |why: String| {
        Err(Error::Incompatible(format!("this machine cannot be held against {}: {why}", reference.name)))
    };
    if reference.probe != PROBE {
        return other(format!("it is of probe {}, and this version has probe {PROBE}", reference.probe));
    }
    let (its, needed) = (reference.evict_bytes, evicting(&host.fingerprint));
    if its < needed {
        return other(format!("it evicts {its} before a probe, and the caches here need {needed}"));
    }
    let folder = tempfile::tempdir().map_err(system("no folder for the work can be made"))?;
    let file = folder.path().join("reference.toml");
    write_whole(&file, reference.to_toml()?.as_bytes())?;
    let start = session.workers.starter()?;
    let mut processes = Vec::new();
    for process in 0..PROCESSES {
        let command = start(&Task::Probe { reference: file.clone(), process });
        let Some(times) = probe_in_worker(process, command, session.interrupted)? else { return Ok(None) };
        processes.push(times);
    }
    let none = || Error::Failed("the probes of a worker process are not those that were asked for".into());
    let speed = Speed::of(&reference.reference(), &processes, 0.95).ok_or_else(none)?;
    let unlike = reference.unlike(&host.fingerprint);
    Ok(Some(CheckedReference { reference, speed, unlike }))
}
