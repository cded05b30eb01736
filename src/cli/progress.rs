//! Progress on standard error: bars with the time left on a terminal, plain lines elsewhere.

use std::cell::RefCell;
use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};

use super::out::tell;
use crate::measure::Event;

/// Shows how far something is: a bar on a terminal, elsewhere a line for each tenth, which is enough for a log.
pub struct Progress {
    plain: bool,
    stage: RefCell<Option<Stage>>,
}

struct Stage {
    title: String,
    tenth: usize,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing is shown until something is under way.
    pub fn new() -> Self {
        Self { plain: !stderr().is_terminal(), stage: RefCell::new(None) }
    }

    /// So many `things` of all have come as far as the title says. Another title begins another stage.
    pub fn advance(&self, title: &str, position: usize, length: usize, things: &str) {
        let mut stage = self.stage.borrow_mut();
        if stage.as_ref().is_none_or(|stage| stage.title != title) {
            end(stage.take());
            let bar = (!self.plain).then(|| bar(title.to_owned()));
            *stage = Some(Stage { title: title.to_owned(), tenth: 0, bar });
        }
        let Some(Stage { tenth, bar, .. }) = stage.as_mut() else { return };
        if let Some(bar) = bar {
            bar.set_length(length as u64);
            bar.set_position(position as u64);
        } else if let Some(reached) = (position * 10).checked_div(length).filter(|reached| reached > tenth) {
            *tenth = reached;
            tell!("{title}: {position} of {length} {things}");
        }
    }

    /// Says what people should hear of at once.
    pub fn say(&self, line: &str) {
        match self.stage.borrow().as_ref().and_then(|stage| stage.bar.as_ref()) {
            Some(bar) => bar.suspend(|| tell!("{line}")),
            None => tell!("{line}"),
        }
    }

    /// Says that something takes long, so that no silence is a riddle.
    pub fn slow(&self, doing: &str) {
        self.say(&format!("note: this takes long: {doing}"));
    }

    /// Shows an event of a run.
    pub fn show(&self, event: Event<'_>) {
        match event {
            Event::Loading { number, of } => self.advance("compiling", number, of, "contracts under their strategies"),
            Event::LeftOut { strategy, reason } => self.say(&left_out(strategy, reason)),
            Event::Slow { doing } => self.slow(doing),
            Event::Process { number, of } if self.plain => tell!("measuring: worker process {number} of {of}"),
            // Seen as a bar, since it is short, and comes again in each process.
            Event::Process { .. } | Event::Checked { .. } if self.plain => {}
            Event::Process { .. } => {}
            Event::Checked { number, of } => self.advance("checking", number, of, "points"),
            Event::Round { number, of } => self.advance("measuring", number as usize, of as usize, "rounds"),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        end(self.stage.borrow_mut().take());
    }
}

/// What is said of a strategy that cannot be set up here and is not needed.
pub fn left_out(strategy: &str, reason: &str) -> String {
    format!("note: {strategy} is left out: {reason}{}", limit())
}

/// The limit of this process that may be behind what the kernel refuses, to be added to a sentence.
pub fn limit() -> String {
    let limit = crate::host::address_space_limit(std::path::Path::new("/"));
    limit.map_or_else(String::new, |limit| format!("; {limit}"))
}

fn end(stage: Option<Stage>) {
    if let Some(bar) = stage.and_then(|stage| stage.bar) {
        bar.finish_and_clear();
    }
}

fn bar(title: String) -> ProgressBar {
    let bar = ProgressBar::new(0).with_message(title);
    let style = ProgressStyle::with_template("{msg:>12} [{bar:30}] {pos}/{len}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    bar
}
