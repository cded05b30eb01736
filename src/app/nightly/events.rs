//! What people hear of a night that went wrong.

use std::collections::BTreeMap;
use std::path::{self, PathBuf};

use super::outcome::Night;
use super::request::NightRequest;
use crate::app::error::Error;
use crate::history::{Event, EventKind, History, HistoryError, Outcome, Record, Selection};
use crate::host::Host;
use crate::measure::now;
use crate::text::with_causes;

/// Nights in a row without a usable run after which somebody is told.
const SILENT: usize = 3;

/// An event of this machine, or of a run. Its text begins with the name of the machine.
pub(super) fn event(kind: EventKind, id: &str, text: String, request: &NightRequest, record: Option<&Record>) -> Event {
    let machine = Host::here().fingerprint;
    let node = record.map(|record| record.node.clone()).or_else(|| request.plan.node_name()).unwrap_or_default();
    Event {
        format: 1,
        id: id.into(),
        kind,
        text: if node.is_empty() { text } else { format!("{node}: {text}") },
        night: record.map(|record| record.night.clone()).unwrap_or_default(),
        machine: machine.class().unwrap_or_default(),
        cpu: machine.summary(),
        node,
        report: None,
        gas: BTreeMap::new(),
        findings: Vec::new(),
    }
}

/// Where the report of a run is, from wherever it is read on that machine.
pub(super) fn report_of(request: &NightRequest, run: &Record) -> PathBuf {
    let report = request.plan.out.join(&run.run).join("report.html");
    path::absolute(&report).unwrap_or(report)
}

/// The night could not be done.
pub(super) fn failed(request: &NightRequest, error: &Error) -> Event {
    let (reason, out) = (with_causes(error), request.plan.out.display());
    let text = format!("the night failed: {reason}. Runs are in {out}.");
    let id = format!("failed/{}/{}", now().strftime("%Y-%m-%dT%H:%M:%SZ"), std::process::id());
    event(EventKind::Failed, &id, text, request, None)
}

/// Nothing was measured because of a hazard. It is told once a week as long as it lasts: a machine that refuses every night is as
/// silent as one that is off.
pub(super) fn refused(request: &NightRequest, hazard: String) -> Event {
    let id = format!("refused/{}", now().strftime("%G-W%V"));
    event(EventKind::Failed, &id, hazard, request, None)
}

/// This is one night too many without a usable run, if it is. `rejected` is why the fit of the last run must not be used.
pub(super) fn silent_nights(
    request: &NightRequest,
    history: &History,
    night: &Night,
    rejected: &[String],
) -> Result<Option<Event>, HistoryError> {
    if night.key().is_some() {
        return Ok(None);
    }
    let before = u32::try_from(SILENT - 1).unwrap_or(u32::MAX);
    let recent = history.records(&Selection { last: Some(before), ..Selection::default() })?;
    if recent.len() + 1 < SILENT || recent.iter().any(|record| record.outcome == Outcome::Measured) {
        return Ok(None);
    }
    let last = &night.runs[0];
    let why = if last.outcome == Outcome::Noisy {
        "it is too noisy to sign".to_owned()
    } else {
        format!("its fit was rejected: {}", rejected.join("; "))
    };
    let report = report_of(request, last);
    let text = format!(
        "{SILENT} runs in a row gave no usable fit; the last is {}: {why}.\nReport: {}",
        last.run,
        report.display()
    );
    let told = event(EventKind::Failed, &format!("silent/{}", last.run), text, request, Some(last));
    Ok(Some(Event { report: Some(report), ..told }))
}
