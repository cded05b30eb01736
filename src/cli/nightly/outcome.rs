//! A night for people and for programs.

use std::fmt::Write as _;

use serde_json::json;

use crate::app::nightly::{Night, NightEnd, NightOutcome, NightRequest};
use crate::cli::exit::Exit;
use crate::cli::format::ShortFormat;
use crate::cli::out;
use crate::history::{EventKind, Outcome, Verdict};
use crate::text::counted;

pub fn show(request: &NightRequest, outcome: NightOutcome, format: ShortFormat) -> anyhow::Result<Exit> {
    match (format, &outcome.night) {
        (ShortFormat::Human, Some(night)) => out::show(&human(request, night))?,
        (ShortFormat::Json, Some(Night { runs, notes, objections, .. })) => {
            out::json(&json!({ "format": 1, "runs": runs, "notes": notes, "objections": objections }))?;
        }
        (_, None) => {}
    }
    Ok(exit_of(outcome.end?))
}

/// The exit code that tells what came of a night.
const fn exit_of(end: NightEnd) -> Exit {
    match end {
        NightEnd::Fine => Exit::Fine,
        NightEnd::Changed => Exit::Changed,
        NightEnd::Unsure | NightEnd::Refused | NightEnd::Noisy => Exit::Noisy,
        NightEnd::Rejected => Exit::Rejected,
        NightEnd::RunsLost => Exit::Failed,
    }
}

fn human(request: &NightRequest, night: &Night) -> String {
    let mut text = String::new();
    for run in &night.runs {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "Run {}", request.plan.out.join(&run.run).display());
        if run.outcome == Outcome::Rejected {
            text.push_str("  its fit must not be used; its report says why\n");
        }
        for event in run.events.iter().filter(|event| event.kind == EventKind::Noisy) {
            let _ = writeln!(text, "  {}", event.text);
        }
    }
    if let Some(judgement) = night.judgement() {
        let _ = writeln!(text, "Verdict: {}", meaning(judgement.verdict));
        for finding in &judgement.findings {
            let _ = writeln!(text, "  {}", finding.sentence());
        }
    }
    for objection in &night.objections {
        let _ = writeln!(text, "The table in force is objected to: {objection}");
    }
    for note in &night.notes {
        let _ = writeln!(text, "Note: {note}");
    }
    let runs = counted(night.recorded, "run", "runs");
    let _ = writeln!(text, "Recorded in {}, which holds {runs}", request.history.display());
    text
}

fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Learning => "too few nights to know this machine's spread; only large changes would be seen yet",
        Verdict::Steady => "steady: nothing beyond this machine's own spread",
        Verdict::Changed => "changed",
        Verdict::Unsure => "a change that is not certain",
    }
}
