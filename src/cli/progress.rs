//! Progress on standard error: bars with the time left on a terminal, plain lines elsewhere.

use std::cell::{Cell, RefCell};
use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};

use crate::measure::Event;

/// A bar that counts up to a known end.
pub fn bar(title: &'static str, length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64).with_message(title);
    let style = ProgressStyle::with_template("{msg:>12} [{bar:30}] {pos}/{len}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    bar
}

/// Shows how a run goes on.
pub struct RunProgress {
    plain: bool,
    bar: RefCell<Option<(&'static str, ProgressBar)>>,
    tenth: Cell<u64>,
}

impl RunProgress {
    /// Nothing is shown until the first event.
    pub fn new() -> Self {
        Self { plain: !stderr().is_terminal(), bar: RefCell::new(None), tenth: Cell::new(0) }
    }

    /// Shows an event.
    pub fn show(&self, event: Event) {
        match event {
            Event::Process { number, of } if self.plain => eprintln!("measuring: worker process {number} of {of}"),
            Event::Process { .. } => {}
            Event::Checked { .. } | Event::Round { .. } if self.plain => self.line(event),
            Event::Checked { number, of } => self.advance("checking", number, of),
            Event::Round { number, of } => self.advance("measuring", number as usize, of as usize),
        }
    }

    /// A line for each tenth of the rounds is enough for a log.
    fn line(&self, event: Event) {
        if let Event::Round { number, of } = event {
            let tenth = u64::from(number) * 10 / u64::from(of.max(1));
            if tenth > self.tenth.replace(tenth) {
                eprintln!("measuring: {number} of {of} rounds");
            }
        }
    }

    fn advance(&self, title: &'static str, position: usize, length: usize) {
        let mut shown = self.bar.borrow_mut();
        if shown.as_ref().is_none_or(|(current, _)| *current != title) {
            if let Some((_, old)) = shown.take() {
                old.finish_and_clear();
            }
            *shown = Some((title, bar(title, length)));
        }
        if let Some((_, bar)) = shown.as_ref() {
            bar.set_length(length as u64);
            bar.set_position(position as u64);
        }
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        if let Some((_, bar)) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }
}
