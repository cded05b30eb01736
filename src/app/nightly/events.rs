//! What people hear of a night that went wrong.

use super::outcome::Night;
use super::request::NightRequest;
use crate::app::error::Error;
use crate::history::{Event, EventKind, History, HistoryError, Outcome, Record, Selection};
use crate::host::Host;
use crate::measure::now;
use crate::text::with_causes;

/// Nights in a row without a usable run after which somebody is told.
const SILENT: usize = 3;

/// An event of this machine, or of a run.
pub(super) fn event(kind: EventKind, id: &str, text: String, record: Option<&Record>) -> Event {
    let machine = Host::here().fingerprint;
    Event {
        format: 1,
        id: id.into(),
        kind,
        text,
        night: record.map(|record| record.night.clone()).unwrap_or_default(),
        machine: machine.class().unwrap_or_default(),
        cpu: machine.summary(),
        findings: Vec::new(),
    }
}

/// The night could not be done.
pub(super) fn failed(request: &NightRequest, error: &Error) -> Event {
    let (reason, out) = (with_causes(error), request.plan.out.display());
    let text = format!("The night on this machine failed: {reason}. Runs are in {out}.");
    let id = format!("failed/{}/{}", now().strftime("%Y-%m-%dT%H:%M:%SZ"), std::process::id());
    event(EventKind::Failed, &id, text, None)
}

/// Nothing was measured because of a hazard. It is told once a week as long as it lasts: a machine that refuses every night is as
/// silent as one that is off.
pub(super) fn refused(hazard: String) -> Event {
    let id = format!("refused/{}", now().strftime("%G-W%V"));
    event(EventKind::Failed, &id, hazard, None)
}

/// This is one night too many without a usable run, if it is.
pub(super) fn silent_nights(history: &History, night: &Night) -> Result<Option<Event>, HistoryError> {
    if night.key().is_some() {
        return Ok(None);
    }
    let before = u32::try_from(SILENT - 1).unwrap_or(u32::MAX);
    let recent = history.records(&Selection { last: Some(before), ..Selection::default() })?;
    let silent = recent.len() + 1 >= SILENT && recent.iter().all(|record| record.outcome != Outcome::Measured);
    let last = &night.runs[0];
    let why = if last.outcome == Outcome::Noisy { "it is too noisy to sign" } else { "its fit was rejected" };
    let text = format!("{SILENT} runs in a row gave no usable fit; the last is {}: {why}.", last.run);
    Ok(silent.then(|| event(EventKind::Failed, &format!("silent/{}", last.run), text, Some(last))))
}
