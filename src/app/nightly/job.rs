//! A night, from the lock to the alert.

use super::events::{event, failed};
use super::night::night;
use super::outcome::{NightEnd, NightOutcome};
use super::request::NightRequest;
use super::{alert, clock, keep, send, textfile};
use crate::app::error::Error;
use crate::app::history::{in_folders, remake};
use crate::app::session::Session;
use crate::history::{Access, EventKind, History, HistoryError, Lock, Record, Salvage, put_in_place};
use crate::text::with_causes;

/// Does a night: measures, confirms what seems to have changed by a second run, records, proposes, and tells what is to be told,
/// whatever came of it.
#[must_use]
pub fn nightly(request: &NightRequest, session: &Session<'_>) -> NightOutcome {
    let lock = match Lock::take(&request.lock(), &clock::holder()) {
        Ok(lock) => lock,
        Err(error) => return not_begun(request, error, session),
    };
    if let Some(before) = &lock.stale {
        session.note(&format!("the night of {before} did not end by itself: it was killed, or the machine went down"));
    }
    let (mut history, mended) = match open(request, session) {
        // Nothing that is measured could be recorded by this version.
        Err(error) if error.is_incompatible() => return not_begun(request, error, session),
        Ok((history, mended)) => (Ok(history), mended),
        Err(error) => (Err(error), Mended::default()),
    };
    let NightOutcome { night, end } = night(request, &mut history, mended.note, session).unwrap_or_else(Into::into);
    if let Err(error) = &end {
        alert::keep_or_tell(&request.alert, &mut history, &failed(request, error), session);
    }
    let told = match &mut history {
        Ok(history) => alert::tell_all(&request.alert, history, session),
        Err(_) => Ok(()),
    };
    send::send_all(request, session);
    if let Ok(history) = &history {
        textfile::write(request, history, session);
        keep::keep(request, history, session);
    }
    let end = match (end, told) {
        (Ok(NightEnd::Fine), Ok(())) if mended.loses => Ok(NightEnd::RunsLost),
        (Ok(_), Err(error)) => Err(error),
        (end, told) => {
            told.unwrap_or_else(|error| session.warn(&with_causes(&error)));
            end
        }
    };
    NightOutcome { night, end }
}

/// Tells of a night that cannot begin.
fn not_begun(request: &NightRequest, error: HistoryError, session: &Session<'_>) -> NightOutcome {
    let error = Error::from(error);
    alert::tell_now(&request.alert, &failed(request, &error), session);
    error.into()
}

/// What was done to the history before the night.
#[derive(Debug, Default)]
struct Mended {
    /// In words.
    note: Option<String>,
    /// Whether runs are gone that cannot be made again.
    loses: bool,
}

/// The history, mended if it is damaged.
fn open(request: &NightRequest, session: &Session<'_>) -> Result<(History, Mended), HistoryError> {
    let file = &request.history;
    if let Some(moved) = put_in_place(file)? {
        let moved = moved.display();
        session.note(&format!("the history that was made again has its place now; the old one is {moved}"));
    }
    let open = || History::open(file, Access::Write).and_then(|history| history.writable().map(|()| history));
    let damage = match open() {
        Err(HistoryError::Damaged { reason, .. }) => reason,
        other => return other.map(|history| (history, Mended::default())),
    };
    // What the old one never held is recorded later, and told.
    let lost = |record: &Record, old: &Salvage| old.lost(record);
    let made = remake(file, in_folders(&request.plan.out, session)?, lost)?;
    let mut history = open()?;
    let moved = made.moved.as_ref().map_or_else(String::new, |moved| moved.display().to_string());
    let text = format!(
        "The history {} was damaged ({damage}). It is set aside as {moved}, and a new one is made: {}.",
        file.display(),
        made.sentence()
    );
    session.warn(&text);
    history.keep(&event(EventKind::Damaged, &format!("damaged/{moved}"), text.clone(), request, None))?;
    Ok((history, Mended { note: Some(text), loses: made.lost.is_some() }))
}
