//! What came of a night.

use crate::app::error::Error;
use crate::history::{Event, Finding, Judgement, Outcome, Record, SeriesKey, State, Verdict};
use crate::params::Objection;

/// The one or two runs of a night, and what people should hear of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Night {
    /// The first, and the one that was to confirm or refute it.
    pub runs: Vec<Record>,
    /// What people should hear of it besides the verdict, a sentence or two each.
    pub notes: Vec<String>,
    /// What speaks against the table in force.
    pub objections: Vec<Objection>,
    /// How many runs the history holds with these.
    pub recorded: u64,
}

/// How a night ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NightEnd {
    /// Nothing changed, as far as is known.
    Fine,
    /// A change was confirmed.
    Changed,
    /// There is a change that is not certain.
    Unsure,
    /// The fit was rejected.
    Rejected,
    /// The run is too noisy to sign.
    Noisy,
    /// Nothing was measured, since the request refuses a hazard that is present.
    Refused,
    /// Nothing changed, but the history was damaged, and runs are gone that cannot be made again.
    RunsLost,
}

/// What came of a [`NightRequest`](super::NightRequest).
#[derive(Debug)]
pub struct NightOutcome {
    /// The night, if it is recorded, whatever failed after that.
    pub night: Option<Night>,
    /// How it ended, or what failed.
    pub end: Result<NightEnd, Error>,
}

impl From<Error> for NightOutcome {
    fn from(error: Error) -> Self {
        Self { night: None, end: Err(error) }
    }
}

impl Night {
    /// A night of which the first run has been measured.
    pub(super) fn new(first: Record, note: Option<String>, objections: Vec<Objection>) -> Self {
        Self { runs: vec![first], notes: note.into_iter().collect(), objections, recorded: 0 }
    }

    /// The series it belongs to, unless its first fit must not be used or signed.
    pub(super) fn key(&self) -> Option<SeriesKey> {
        self.runs.first().filter(|first| first.outcome == Outcome::Measured).map(Record::key)
    }

    /// Keeps the gate's word with the last usable run. Returns that run with what has changed and was not told before, if anything.
    pub(super) fn judged(&mut self, judgement: Judgement) -> Option<(&mut Record, Vec<Finding>)> {
        let new: Vec<Finding> =
            judgement.findings.iter().filter(|finding| finding.state == State::Changed).cloned().collect();
        let last = self.runs.iter_mut().rfind(|run| run.outcome == Outcome::Measured)?;
        last.judgement = Some(judgement);
        (!new.is_empty()).then_some((last, new))
    }

    /// Adds an event.
    pub(super) fn raise(&mut self, event: Option<Event>) {
        if let Some(last) = self.runs.last_mut() {
            last.events.extend(event);
        }
    }

    /// The gate's word.
    #[must_use]
    pub fn judgement(&self) -> Option<&Judgement> {
        self.runs.iter().rev().find_map(|run| run.judgement.as_ref())
    }

    /// How it ended.
    pub(super) fn end(&self) -> NightEnd {
        if self.key().is_none() {
            let noisy = self.runs.first().is_some_and(|first| first.outcome == Outcome::Noisy);
            return if noisy { NightEnd::Noisy } else { NightEnd::Rejected };
        }
        match self.judgement().map(|judgement| judgement.verdict) {
            Some(Verdict::Changed) => NightEnd::Changed,
            Some(Verdict::Unsure) => NightEnd::Unsure,
            _ => NightEnd::Fine,
        }
    }
}
