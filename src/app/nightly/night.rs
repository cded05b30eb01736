//! The runs of a night, and what the gate says of them.

use super::changed::changed;
use super::events::{event, refused, silent_nights};
use super::outcome::{Night, NightEnd, NightOutcome};
use super::request::NightRequest;
use super::runs::{Measured, Proposal, one_run};
use super::{alert, clock, proposal, recovery, series};
use crate::app::error::Error;
use crate::app::event::Event;
use crate::app::history::whole_trend;
use crate::app::session::Session;
use crate::app::tables::object;
use crate::files::write_whole;
use crate::history::{EventKind, History, HistoryError, Record, Selection, State, judge, write_night};
use crate::host::Host;
use crate::params::{ParamTable, ReferenceFacts};
use crate::text::with_causes;

/// Nights of one series that the gate looks back over; more than any of its windows.
const PAST: u32 = 200;

/// What is said where no table is in force: it may be there, and the job stand elsewhere.
const NO_TABLE: &str =
    "Nothing was held against a table in force: none is named, and params/current.toml is not in this folder.";

/// Does the night, of which the history may not be usable. `note` is what was done to it before.
pub(super) fn night(
    request: &NightRequest,
    history: &mut Result<History, HistoryError>,
    note: Option<String>,
    session: &Session<'_>,
) -> Result<NightOutcome, Error> {
    let table = request.params.as_deref().map(ParamTable::load).transpose()?;
    if let (Some(file), Some(table)) = (&request.params, &table) {
        object(&file.display().to_string(), table, session);
    }
    if let Some(hazard) = present_hazard(request) {
        session.tell(Event::Refused(&hazard));
        alert::keep_or_tell(&request.alert, history, &refused(request, hazard), session);
        return Ok(NightOutcome { night: None, end: Ok(NightEnd::Refused) });
    }
    let history = match history {
        Ok(history) => history,
        Err(error) => return Err(unrecorded(request, error, session)),
    };
    recovery::recover(&request.plan.out, history, session)?;
    let newest = history.records(&Selection { last: Some(1), ..Selection::default() })?;
    if let Some(warning) = clock::went_back(newest.last()) {
        session.warn(&warning);
    }
    let Measured { record: first, proposal, rejected } = one_run(request, history.next_sequence()?, None, session)?;
    let other = series::other_than_before(history, &first, &request.plan.out)?;
    let mut night = Night::new(first, note, table.as_ref().map(ParamTable::objections).unwrap_or_default());
    night.notes.extend(table.is_none().then(|| NO_TABLE.to_owned()));
    night.notes.extend(table.as_ref().and_then(|table| not_comparable(table, &night)));
    let proposal = judged(request, history, &mut night, table.as_ref(), session)?.or(proposal);
    night.raise(silent_nights(request, history, &night, &rejected)?);
    if let Some(text) = other {
        session.warn(&text);
        night.notes.push(text.clone());
        let first = &night.runs[0];
        let event = event(EventKind::Series, &format!("series/{}", first.run), text, request, Some(first));
        night.raise(Some(event));
    }
    for run in &night.runs {
        write_night(&request.plan.out.join(&run.run), run)?;
    }
    history.append(&night.runs, false)?;
    // Last of what can fail: a table can be made again, and the night is recorded and judged whatever becomes of it.
    let proposed = propose(request, proposal.as_ref(), session).map(|note| night.notes.extend(note));
    write_trend(request, history, &night, session);
    night.recorded = history.count()?;
    let end = proposed.map(|()| night.end());
    Ok(NightOutcome { night: Some(night), end })
}

/// What is said where nothing is held against the table in force because it is stated on another reference machine.
fn not_comparable(table: &ParamTable, night: &Night) -> Option<String> {
    let its = table.provenance.reference.as_ref().map(ReferenceFacts::id).unwrap_or_default();
    let tonight = &night.key()?.reference;
    (its != *tonight).then(|| {
        format!("Nothing was held against the table in force: it is stated on {its}, and this night on {tonight}, which is not comparable.")
    })
}

/// Has the gate judge a night whose first run may be used, and measures again where it suspects a change. Returns what the second run
/// proposes.
fn judged(
    request: &NightRequest,
    history: &History,
    night: &mut Night,
    table: Option<&ParamTable>,
    session: &Session<'_>,
) -> Result<Option<Proposal>, Error> {
    let Some(key) = night.key() else { return Ok(None) };
    let past = Selection { series: Some(key), last: Some(PAST), measured: true, ..Selection::default() };
    let past = history.records(&past)?;
    let told = history.told_keys()?;
    let told = |key: &str| told.contains(key);
    let judge = |night: &Night| judge(&past, &night.runs, table, &told, &request.gate);
    let mut judgement = judge(night);
    let mut proposal = None;
    if judgement.findings.iter().any(|finding| finding.state == State::Suspected) {
        session.tell(Event::Suspected(&judgement.findings));
        let first = night.runs[0].run.clone();
        let second = one_run(request, history.next_sequence()? + 1, Some(&first), session)?;
        night.runs.push(second.record);
        proposal = second.proposal;
        judgement = judge(night);
    }
    if let Some((run, new)) = night.judged(judgement) {
        let event = changed(run, new, (table, past.last()), request);
        run.events.push(event);
    }
    Ok(proposal)
}

/// Measures a night that cannot be recorded: its run folder keeps it. The error says so.
fn unrecorded(request: &NightRequest, error: &HistoryError, session: &Session<'_>) -> Error {
    session.warn(&error.to_string());
    session.warn("the night is measured all the same: its run folder keeps it, and the next night records it");
    let measured = || -> Result<Record, Error> {
        let sequence = recovery::highest_sequence(&request.plan.out, session)? + 1;
        let Measured { record, proposal, .. } = one_run(request, sequence, None, session)?;
        propose(request, proposal.as_ref(), session)?;
        Ok(record)
    };
    match measured() {
        Ok(run) => {
            Error::Failed(format!("run {} is measured, and not recorded, because of the history: {error}", run.run))
        }
        Err(error) => error,
    }
}

/// Writes the proposed table, if there is one, and returns what is to be said of it.
fn propose(
    request: &NightRequest,
    proposal: Option<&Proposal>,
    session: &Session<'_>,
) -> Result<Option<String>, Error> {
    proposal.map_or(Ok(None), |(table, folder)| proposal::write(table, &request.proposed, folder, session))
}

/// A hazard that the request refuses to measure with, in words.
fn present_hazard(request: &NightRequest) -> Option<String> {
    let host = Host::here();
    let present = |name: &String| host.hazards.iter().find(|hazard| hazard.name == *name && hazard.is_present());
    let hazard = request.refuse.iter().find_map(present)?;
    let quiet = hazard.quiet.as_ref().map_or_else(String::new, |command| format!("; to quiet it: {command}"));
    Some(format!("nothing is measured, since the settings refuse `{}`: {}{quiet}", hazard.name, hazard.detail))
}

fn write_trend(request: &NightRequest, history: &History, night: &Night, session: &Session<'_>) {
    let Some(record) = night.runs.last().filter(|_| night.key().is_some()) else { return };
    let file = request.plan.out.join("trend.html");
    let written = whole_trend(history, &record.key())
        .and_then(|trend| trend.page())
        .and_then(|page| Ok::<_, Error>(write_whole(&file, page.as_bytes())?));
    if let Err(error) = written {
        session.warn(&format!("the trend page is not written: {}", with_causes(&error)));
    }
}
