//! Progress on standard error: bars with the time left on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};

use super::out::tell;
use crate::app::{Event, Stage};
use crate::report::render::sentence;
use crate::text::{counted, quoted, shown};

/// Shows how far something is: a bar on a terminal, elsewhere a line for each tenth, which is enough for a log.
pub struct Progress {
    plain: bool,
    shown: Mutex<Option<Shown>>,
}

struct Shown {
    stage: Stage,
    tenth: usize,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing is shown until something is under way.
    pub fn new() -> Self {
        Self { plain: !stderr().is_terminal(), shown: Mutex::default() }
    }

    /// Shows an event.
    pub fn show(&self, event: Event<'_>) {
        match event {
            Event::Note(text) => self.say(&format!("note: {text}")),
            Event::Warning(text) => self.say(&format!("warning: {text}")),
            Event::AddingTarget { target, toolchain } => {
                self.say(&format!("adding the target {target} to {toolchain} with rustup"));
            }
            Event::Skipped { contracts, reason, mend } => {
                self.say(&format!("warning: left out: {}: {reason}", contracts.join(", ")));
                self.say(&format!("  to mend it: {mend}"));
            }
            Event::Missing(error) => self.say(&format!("error: {}", shown(&error.to_string()))),
            Event::PassedBy { links } => {
                self.say(&format!(
                    "note: {links} links to folders were not followed: name the folders to have them read"
                ));
            }
            Event::Hazard(hazard) => self.say(&format!("note: {}: {}", hazard.name, hazard.detail)),
            Event::Run { run, folder } => {
                self.say(&format!("run {} with seed {}, into {}", run.run, run.plan.seed, quoted(folder)));
            }
            // Seen as a bar, since it is short, and comes again in each process.
            Event::Process { number, of } if self.plain => {
                self.say(&format!("measuring: worker process {number} of {of}"));
            }
            Event::Progress { stage: Stage::Checking, .. } if self.plain => {}
            Event::Progress { stage, done, of } => self.advance(stage, done, of),
            Event::Expected { stage, contracts, time } => {
                let (seconds, contracts) = (time.as_secs() + 1, counted(contracts, "contract", "contracts"));
                self.say(&format!("{}: {contracts}, some {seconds} s and loading", title(stage)));
            }
            Event::Suspected(findings) => {
                for finding in findings {
                    self.say(&finding.sentence());
                }
                self.say("measuring again, to confirm or refute it");
            }
            Event::Refused(reason) => self.say(reason),
            Event::Alert(event) => self.say(&format!("alert: {}", event.text.replace('\n', "; "))),
            // So that no silence is a riddle.
            Event::Slow { doing } => self.say(&format!("note: this takes long: {doing}")),
            Event::Process { .. } | Event::Stoppable => {}
        }
    }

    fn advance(&self, stage: Stage, done: usize, of: usize) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.as_ref().is_none_or(|shown| shown.stage != stage) {
            end(shown.take());
            let bar = (!self.plain).then(|| bar(title(stage)));
            *shown = Some(Shown { stage, tenth: 0, bar });
        }
        let Some(Shown { tenth, bar, .. }) = shown.as_mut() else { return };
        if let Some(bar) = bar {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
            if done >= of {
                bar.finish_and_clear();
            }
        } else if let Some(reached) = (done * 10).checked_div(of).filter(|reached| reached > tenth) {
            *tenth = reached;
            tell!("{}: {done} of {of} {}", title(stage), things(stage));
        }
    }

    /// Says what people should hear of at once: at a terminal in lines of 80 columns, in a log in one, as it is searched by lines.
    fn say(&self, line: &str) {
        let wrapped = if self.plain { line.to_owned() } else { sentence(line) };
        let line = &wrapped;
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match shown.as_ref().and_then(|shown| shown.bar.as_ref()) {
            Some(bar) => bar.suspend(|| tell!("{line}")),
            None => tell!("{line}"),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        end(self.shown.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

fn title(stage: Stage) -> String {
    match stage {
        Stage::Making => "making".into(),
        Stage::Compiling => "compiling".into(),
        Stage::Checking => "checking".into(),
        Stage::Trying => "trying".into(),
        Stage::Measuring { of: 1, .. } => "measuring".into(),
        Stage::Measuring { part, of } => format!("measuring part {part} of {of}"),
    }
}

const fn things(stage: Stage) -> &'static str {
    match stage {
        Stage::Making => "modules",
        Stage::Compiling => "contracts under their strategies",
        Stage::Checking => "points",
        Stage::Trying => "contracts",
        Stage::Measuring { .. } => "rounds",
    }
}

fn end(shown: Option<Shown>) {
    if let Some(bar) = shown.and_then(|shown| shown.bar) {
        bar.finish_and_clear();
    }
}

fn bar(title: String) -> ProgressBar {
    let bar = ProgressBar::new(0).with_message(title);
    let style = ProgressStyle::with_template("{msg:>12} [{bar:30}] {pos}/{len}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    bar
}
