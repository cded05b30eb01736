//! Telling people: a command of theirs, a webhook, or both.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

use super::settings::AlertSettings;
use super::webhook::{self, Webhook};
use crate::cli::out::tell;
use crate::history::{Event, History};

/// Tells every event that waits, oldest first, and notes each as told. What cannot be told waits for the next night.
pub fn tell_all(settings: &AlertSettings, history: &mut History) -> anyhow::Result<()> {
    let mut failed = None;
    for waiting in history.untold()? {
        match tell_one(settings, &waiting.event) {
            Ok(()) => history.done(waiting.row)?,
            Err(error) => failed = Some(error.context("an alert was not told; the next night tries again")),
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Tells an event that could not be kept.
pub fn tell_now(settings: &AlertSettings, event: &Event) {
    tell_one(settings, event).unwrap_or_else(|error| tell!("warning: {error:#}"));
}

fn tell_one(settings: &AlertSettings, event: &Event) -> anyhow::Result<()> {
    tell!("alert: {}", event.text.replace('\n', "; "));
    let command = if settings.command.is_empty() { Ok(()) } else { run(settings, event) };
    let webhook = Webhook::of_environment().and_then(|webhook| match webhook {
        Some(webhook) => webhook.post(&event.text, settings),
        None => Ok(()),
    });
    command?;
    webhook
}

/// Starts the command with the event as JSON on its standard input. It sees no secret of the webhook.
fn run(settings: &AlertSettings, event: &Event) -> anyhow::Result<()> {
    let [program, arguments @ ..] = &settings.command[..] else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).env_remove(webhook::URL).env_remove(webhook::AUTHORIZATION);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("the alert command `{program}` cannot be started"))?;
    let body = serde_json::to_string(event)? + "\n";
    if let Some(mut input) = child.stdin.take() {
        // A thread of its own, since a command that does not read would block a long event. One that needs no event may close it.
        thread::spawn(move || input.write_all(body.as_bytes()));
    }
    let status =
        wait(&mut child, settings.timeout).with_context(|| format!("waiting for the alert command `{program}`"))?;
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => bail!("the alert command `{program}` failed: {status}"),
        None => bail!("the alert command `{program}` took longer than {} s and was ended", settings.timeout.as_secs()),
    }
}

/// Waits for the end of a child, and ends it after the time-out.
fn wait(child: &mut Child, timeout: Duration) -> std::io::Result<Option<std::process::ExitStatus>> {
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
