//! A night, from the lock to the alert.

use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::json;

use super::outcome::{Night, exit_of};
use super::settings::Settings;
use super::{alert, clock, proposal, recovery, series};
use crate::app::{Analysis, TableInForce, measure_run, plan_run};
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::objected;
use crate::cli::out::{self, tell};
use crate::cli::session::in_session;
use crate::files::write_whole;
use crate::history::{
    Access, Event, EventKind, History, HistoryError, Lock, Outcome, Record, Role, Salvage, Selection, State, judge,
    put_in_place, write_night,
};
use crate::host::Host;
use crate::measure::{Stop, now};
use crate::params::ParamTable;
use crate::text::quoted;

/// Nights of one series that the gate looks back over; more than any of its windows.
const PAST: u32 = 200;
/// Nights in a row without a usable run after which somebody is told.
const SILENT: usize = 3;

/// What is said where no table is in force: it may be there, and the job stand elsewhere.
const NO_TABLE: &str =
    "Nothing was held against a table in force: none is named, and params/current.toml is not in this folder.";

/// Does the night and tells what is to be told, whatever came of it.
pub fn execute(settings: &Settings, format: ShortFormat) -> anyhow::Result<Exit> {
    let lock = match Lock::take(&settings.history.with_extension("lock"), &clock::holder()) {
        Ok(lock) => lock,
        Err(error) => {
            let error = error.into();
            alert::tell_now(&settings.alert, &failed(settings, &error));
            return Err(error);
        }
    };
    if let Some(before) = &lock.stale {
        tell!("note: the night of {before} did not end by itself: it was killed, or the machine went down");
    }
    let (mut history, mended) = match open(settings) {
        // Nothing that is measured could be recorded by this version.
        Err(error) if error.is_incompatible() => {
            let error = error.into();
            alert::tell_now(&settings.alert, &failed(settings, &error));
            return Err(error);
        }
        Ok((history, mended)) => (Ok(history), mended),
        Err(error) => (Err(error), Mended::default()),
    };
    let result = night(settings, &mut history, mended.note, format).map(|exit| match exit {
        Exit::Fine if mended.loses => Exit::Failed,
        exit => exit,
    });
    if let Err(error) = &result {
        keep_or_tell(settings, &mut history, &failed(settings, error));
    }
    let told = match &mut history {
        Ok(history) => alert::tell_all(&settings.alert, history),
        Err(_) => Ok(()),
    };
    match (result, told) {
        (Ok(_), Err(error)) => Err(error),
        (result, told) => {
            told.unwrap_or_else(|error| tell!("warning: {error:#}"));
            result
        }
    }
}

/// Keeps an event until it is told. One that cannot be kept is told at once: a full disk must not make a night silent.
fn keep_or_tell(settings: &Settings, history: &mut Result<History, HistoryError>, event: &Event) {
    let kept = history
        .as_mut()
        .is_ok_and(|history| history.keep(event).inspect_err(|error| tell!("warning: {error}")).is_ok());
    if !kept {
        alert::tell_now(&settings.alert, event);
    }
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
fn open(settings: &Settings) -> Result<(History, Mended), HistoryError> {
    let file = &settings.history;
    if let Some(moved) = put_in_place(file)? {
        tell!("note: the history that was made again has its place now; the old one is {}", moved.display());
    }
    let open = || History::open(file, Access::Write).and_then(|history| history.writable().map(|()| history));
    let damage = match open() {
        Err(HistoryError::Damaged { reason, .. }) => reason,
        other => return other.map(|history| (history, Mended::default())),
    };
    // What the old one never held is recorded later, and told.
    let lost = |record: &Record, old: &Salvage| old.lost(record);
    let made = recovery::make_again(file, recovery::in_folders(&settings.out)?, lost)?;
    let mut history = open()?;
    let moved = made.moved.as_ref().map_or_else(String::new, |moved| moved.display().to_string());
    let text = format!(
        "The history {} was damaged ({damage}). It is set aside as {moved}, and a new one is made: {}.",
        file.display(),
        made.sentence()
    );
    tell!("warning: {text}");
    history.keep(&event(EventKind::Damaged, &format!("damaged/{moved}"), text.clone(), None))?;
    Ok((history, Mended { note: Some(text), loses: made.lost.is_some() }))
}

fn night(
    settings: &Settings,
    history: &mut Result<History, HistoryError>,
    note: Option<String>,
    format: ShortFormat,
) -> anyhow::Result<Exit> {
    let table = settings.params.as_deref().map(ParamTable::load).transpose()?;
    if let (Some(file), Some(table)) = (&settings.params, &table) {
        objected::warn(file.display(), table);
    }
    if let Some(hazard) = refused(settings) {
        tell!("{hazard}");
        // Told once a week as long as it lasts: a machine that refuses every night is as silent as one that is off.
        let id = format!("refused/{}", now().strftime("%G-W%V"));
        keep_or_tell(settings, history, &event(EventKind::Failed, &id, hazard, None));
        return Ok(Exit::Noisy);
    }
    if let Ok(history) = history {
        recovery::recover(&settings.out, history)?;
        let newest = history.records(&Selection { last: Some(1), ..Selection::default() })?;
        if let Some(warning) = clock::went_back(newest.last()) {
            tell!("warning: {warning}");
        }
    }
    let history = match history {
        Ok(history) => history,
        Err(error) => {
            tell!("warning: {error}");
            tell!(
                "warning: the night is measured all the same: its run folder keeps it, and the next night records it"
            );
            let sequence = recovery::highest_sequence(&settings.out)? + 1;
            let (run, proposal) = one_run(settings, sequence, None)?;
            propose(settings, proposal.as_ref())?;
            bail!("run {} is measured, and not recorded, because of the history: {error}", run.run);
        }
    };
    let (first, mut proposal) = one_run(settings, history.next_sequence()?, None)?;
    let other = series::other_than_before(history, &first, &settings.out)?;
    let mut night = Night::new(first, note, table.as_ref().map(ParamTable::objections).unwrap_or_default());
    night.notes.extend(table.is_none().then(|| NO_TABLE.to_owned()));
    if let Some(key) = night.key() {
        let past = history.records(&Selection {
            series: Some(key),
            last: Some(PAST),
            measured: true,
            ..Selection::default()
        })?;
        let told = history.told_keys()?;
        let told = |key: &str| told.contains(key);
        let judged = |night: &Night| judge(&past, &night.runs, table.as_ref(), &told, &settings.gate);
        let mut judgement = judged(&night);
        if judgement.findings.iter().any(|finding| finding.state == State::Suspected) {
            for finding in &judgement.findings {
                tell!("{}", finding.sentence());
            }
            tell!("measuring again, to confirm or refute it");
            let first = night.runs[0].run.clone();
            let (second, its) = one_run(settings, history.next_sequence()? + 1, Some(&first))?;
            night.runs.push(second);
            proposal = its.or(proposal);
            judgement = judged(&night);
        }
        night.judged(judgement);
    }
    night.raise(silent_nights(history, &night)?);
    if let Some(text) = other {
        tell!("warning: {text}");
        night.notes.push(text.clone());
        let first = &night.runs[0];
        let event = event(EventKind::Series, &format!("series/{}", first.run), text, Some(first));
        night.raise(Some(event));
    }
    let folder = |run: &Record| settings.out.join(&run.run);
    for run in &night.runs {
        write_night(&folder(run), run)?;
    }
    history.append(&night.runs, false)?;
    // Last of what can fail: a table can be made again, and the night is recorded and judged whatever becomes of it.
    let proposed = propose(settings, proposal.as_ref()).map(|note| night.notes.extend(note));
    write_trend(settings, history, &night);
    match format {
        ShortFormat::Human => out::show(&night.human(history, &settings.out)?)?,
        ShortFormat::Json => {
            out::json(&json!({
                "format": 1,
                "runs": night.runs,
                "notes": night.notes,
                "objections": night.objections,
            }))?;
        }
    }
    proposed.map(|()| exit_of(&night))
}

/// A table with the folder of the run that it follows from.
type Proposal = (ParamTable, PathBuf);

/// Measures and fits one run. Its folder says from before the first sample on what it was made for.
fn one_run(settings: &Settings, sequence: u64, night: Option<&str>) -> anyhow::Result<(Record, Option<Proposal>)> {
    let in_force = settings.params.as_deref().map(TableInForce::named).transpose()?;
    let mut planned = in_session(|session| plan_run(&settings.measuring.request(), in_force.as_ref(), session))?;
    let (folder, run) = (planned.folder.clone(), &planned.run);
    let role = if night.is_some() { Role::Confirming } else { Role::First };
    let mut record = Record::planned(run, sequence, night.unwrap_or(&run.run), role);
    write_night(folder.path(), &record)?;
    tell!("run {} with seed {}, into {}", run.run, run.plan.seed, quoted(folder.path()));
    if in_session(|session| measure_run(&mut planned, session))? == Stop::Interrupted {
        bail!("the night was interrupted; what was measured is kept in {}", quoted(folder.path()));
    }
    let analysis = in_session(|session| Analysis::of_run(folder.clone(), None, None, session))?;
    analysis.write()?;
    record = record.fitted(analysis.fit(), analysis.table());
    write_night(folder.path(), &record)?;
    Ok((record, analysis.table().cloned().map(|table| (table, folder.path().to_owned()))))
}

/// Writes the proposed table, if there is one, and returns what is to be said of it.
fn propose(settings: &Settings, proposal: Option<&Proposal>) -> anyhow::Result<Option<String>> {
    proposal.map_or(Ok(None), |(table, folder)| proposal::write(table, &settings.proposed, folder))
}

/// A hazard that the settings refuse to measure with.
fn refused(settings: &Settings) -> Option<String> {
    let host = Host::read(Path::new("/"));
    let present = |name: &String| host.hazards.iter().find(|hazard| hazard.name == *name && hazard.is_present());
    let hazard = settings.refuse.iter().find_map(present)?;
    let quiet = hazard.quiet.as_ref().map_or_else(String::new, |command| format!("; to quiet it: {command}"));
    Some(format!("nothing is measured, since the settings refuse `{}`: {}{quiet}", hazard.name, hazard.detail))
}

/// An event if this is one night too many without a usable run.
fn silent_nights(history: &History, night: &Night) -> anyhow::Result<Option<Event>> {
    if night.key().is_some() {
        return Ok(None);
    }
    let before = u32::try_from(SILENT - 1).unwrap_or(u32::MAX);
    let recent = history.records(&Selection { last: Some(before), ..Selection::default() })?;
    let silent = recent.len() + 1 >= SILENT && recent.iter().all(|record| record.outcome != Outcome::Measured);
    let last = &night.runs[0];
    let text = format!("{SILENT} runs in a row gave no usable fit; the last is {}: its fit was rejected.", last.run);
    Ok(silent.then(|| event(EventKind::Failed, &format!("silent/{}", last.run), text, Some(last))))
}

fn write_trend(settings: &Settings, history: &History, night: &Night) {
    let Some(record) = night.runs.last().filter(|_| night.key().is_some()) else { return };
    let file = settings.out.join("trend.html");
    let written = crate::cli::history::trend_page(history, &record.key())
        .and_then(|page| Ok(write_whole(&file, page.as_bytes())?));
    if let Err(error) = written {
        tell!("warning: the trend page is not written: {error:#}");
    }
}

fn failed(settings: &Settings, error: &anyhow::Error) -> Event {
    let text = format!("The night on this machine failed: {error:#}. Runs are in {}.", settings.out.display());
    let id = format!("failed/{}/{}", now().strftime("%Y-%m-%dT%H:%M:%SZ"), std::process::id());
    event(EventKind::Failed, &id, text, None)
}

fn event(kind: EventKind, id: &str, text: String, record: Option<&Record>) -> Event {
    let machine = Host::read(Path::new("/")).fingerprint;
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
