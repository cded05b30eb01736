//! What came of a night.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::exit::Exit;
use crate::history::{Event, EventKind, Finding, History, Judgement, Outcome, Record, SeriesKey, State, Verdict};
use crate::params::Objection;

/// The one or two runs of a night.
#[derive(Debug)]
pub struct Night {
    /// The first, and the one that was to confirm or refute it.
    pub runs: Vec<Record>,
    /// What people should hear of it besides the verdict, a sentence or two each.
    pub notes: Vec<String>,
    /// What speaks against the table in force.
    pub objections: Vec<Objection>,
}

impl Night {
    /// A night of which the first run has been measured.
    pub fn new(first: Record, note: Option<String>, objections: Vec<Objection>) -> Self {
        Self { runs: vec![first], notes: note.into_iter().collect(), objections }
    }

    /// The series it belongs to, unless its first fit was rejected.
    pub fn key(&self) -> Option<SeriesKey> {
        self.runs.first().filter(|first| first.outcome == Outcome::Measured).map(Record::key)
    }

    /// Keeps the gate's word with the last usable run, and makes an event of what has changed and was not told before.
    pub fn judged(&mut self, judgement: Judgement) {
        let new: Vec<Finding> =
            judgement.findings.iter().filter(|finding| finding.state == State::Changed).cloned().collect();
        let Some(last) = self.runs.iter_mut().rfind(|run| run.outcome == Outcome::Measured) else { return };
        if !new.is_empty() {
            let sentences: Vec<String> = new.iter().map(Finding::sentence).collect();
            let text = format!("Memory costs changed on {}.\n{}\nRun {}", last.cpu, sentences.join("\n"), last.run);
            last.events.push(Event {
                format: 1,
                id: format!("changed/{}", last.run),
                kind: EventKind::Changed,
                text,
                night: last.night.clone(),
                machine: last.machine.clone(),
                cpu: last.cpu.clone(),
                findings: new,
            });
        }
        last.judgement = Some(judgement);
    }

    /// Adds an event.
    pub fn raise(&mut self, event: Option<Event>) {
        if let Some(last) = self.runs.last_mut() {
            last.events.extend(event);
        }
    }

    /// The gate's word.
    pub fn judgement(&self) -> Option<&Judgement> {
        self.runs.iter().rev().find_map(|run| run.judgement.as_ref())
    }

    /// The night for people.
    pub fn human(&self, history: &History, out: &Path) -> anyhow::Result<String> {
        let mut text = String::new();
        for run in &self.runs {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "Run {}", out.join(&run.run).display());
            if run.outcome == Outcome::Rejected {
                text.push_str("  its fit must not be used; its report says why\n");
            }
        }
        if let Some(judgement) = self.judgement() {
            let _ = writeln!(text, "Verdict: {}", meaning(judgement.verdict));
            for finding in &judgement.findings {
                let _ = writeln!(text, "  {}", finding.sentence());
            }
        }
        for objection in &self.objections {
            let _ = writeln!(text, "The table in force is objected to: {objection}");
        }
        for note in &self.notes {
            let _ = writeln!(text, "Note: {note}");
        }
        let _ = writeln!(text, "Recorded in {}, which holds {} runs", history.file().display(), history.count()?);
        Ok(text)
    }
}

fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Learning => "too few nights to know this machine's spread; only large changes would be seen yet",
        Verdict::Steady => "steady: nothing beyond this machine's own spread",
        Verdict::Changed => "changed",
        Verdict::Unsure => "a change that is not certain",
    }
}

/// The exit code that tells what came of the night.
pub fn exit_of(night: &Night) -> Exit {
    if night.key().is_none() {
        return Exit::Rejected;
    }
    match night.judgement().map(|judgement| judgement.verdict) {
        Some(Verdict::Changed) => Exit::Changed,
        Some(Verdict::Unsure) => Exit::Noisy,
        _ => Exit::Fine,
    }
}
