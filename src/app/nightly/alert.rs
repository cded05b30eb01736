//! Telling people: a command of theirs, a webhook, or both.

use std::io::Write as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use super::request::AlertSettings;
use super::webhook::{self, Webhook};
use crate::app::error::{Error, system};
use crate::app::event;
use crate::app::session::Session;
use crate::history::{Event, History, HistoryError};
use crate::text::with_causes;

/// Tells every event that waits, oldest first, and notes each as told. What cannot be told waits for the next night.
pub(super) fn tell_all(settings: &AlertSettings, history: &mut History, session: &Session<'_>) -> Result<(), Error> {
    let mut failed = None;
    for waiting in history.untold()? {
        match tell_one(settings, &waiting.event, session) {
            Ok(()) => history.done(waiting.row)?,
            Err(error) => failed = Some(error.context("an alert was not told; the next night tries again")),
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Tells an event that could not be kept.
pub(super) fn tell_now(settings: &AlertSettings, event: &Event, session: &Session<'_>) {
    tell_one(settings, event, session).unwrap_or_else(|error| session.warn(&with_causes(&error)));
}

/// Keeps an event until it is told. One that cannot be kept is told at once: a full disk must not make a night silent.
pub(super) fn keep_or_tell(
    settings: &AlertSettings,
    history: &mut Result<History, HistoryError>,
    event: &Event,
    session: &Session<'_>,
) {
    let warn = |error: &HistoryError| session.warn(&error.to_string());
    let kept = history.as_mut().is_ok_and(|history| history.keep(event).inspect_err(warn).is_ok());
    if !kept {
        tell_now(settings, event, session);
    }
}

fn tell_one(settings: &AlertSettings, event: &Event, session: &Session<'_>) -> Result<(), Error> {
    session.tell(event::Event::Alert(event));
    let command = if settings.command.is_empty() { Ok(()) } else { run(settings, event) };
    let webhook = Webhook::of_environment().and_then(|webhook| match webhook {
        Some(webhook) => webhook.post(&event.text, settings),
        None => Ok(()),
    });
    command?;
    webhook
}

/// Starts the command with the event as JSON on its standard input. It sees no secret of the webhook.
fn run(settings: &AlertSettings, event: &Event) -> Result<(), Error> {
    let [program, arguments @ ..] = &settings.command[..] else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).env_remove(webhook::URL).env_remove(webhook::AUTHORIZATION);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(system(format!("the alert command `{program}` cannot be started")))?;
    let body = serde_json::to_string(event)? + "\n";
    if let Some(mut input) = child.stdin.take() {
        // A thread of its own, since a command that does not read would block a long event. One that needs no event may close it.
        thread::spawn(move || input.write_all(body.as_bytes()));
    }
    let waited = wait(&mut child, settings.timeout);
    let text = match waited.map_err(system(format!("waiting for the alert command `{program}`")))? {
        Some(status) if status.success() => return Ok(()),
        Some(status) => format!("the alert command `{program}` failed: {status}"),
        None => {
            let seconds = settings.timeout.as_secs();
            format!("the alert command `{program}` took longer than {seconds} s and was ended")
        }
    };
    Err(Error::Failed(text))
}

/// Waits for the end of a child, and ends it after the time-out.
fn wait(child: &mut Child, timeout: Duration) -> std::io::Result<Option<ExitStatus>> {
    const STEP: Duration = Duration::from_millis(20);
    for _ in 0..timeout.as_millis() / STEP.as_millis() {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(STEP);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}
