use std::sync::atomic::AtomicBool;

use super::event::Event;
#[cfg(feature = "measure")]
use super::workers::Workers;

/// Hears what happens, perhaps from several threads.
pub type Observer<'a> = dyn Fn(Event<'_>) + Sync + 'a;

static NEVER: AtomicBool = AtomicBool::new(false);

/// The surroundings in which requests are carried out: who hears of what happens, what stops it, and how worker processes start.
///
/// The default one tells nobody, is never stopped, and starts the running program again as its worker.
///
/// ```
/// use estimator::app::{Event, Session};
///
/// let observer = |event: Event<'_>| {
///     if let Event::Progress { stage, done, of } = event {
///         println!("{stage:?}: {done} of {of}");
///     }
/// };
/// let session = Session::new().observed_by(&observer);
/// # drop(session);
/// ```
#[derive(Clone)]
pub struct Session<'a> {
    observer: &'a Observer<'a>,
    pub(super) interrupted: &'a AtomicBool,
    #[cfg(feature = "measure")]
    pub(super) workers: Workers,
}

impl Default for Session<'_> {
    fn default() -> Self {
        Self {
            observer: &|_| {},
            interrupted: &NEVER,
            #[cfg(feature = "measure")]
            workers: Workers::default(),
        }
    }
}

impl<'a> Session<'a> {
    /// The default one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, heard by this observer.
    #[must_use]
    pub fn observed_by(self, observer: &'a Observer<'a>) -> Self {
        Self { observer, ..self }
    }

    /// The same, stopped once this is set. What was measured until then is kept.
    #[must_use]
    pub fn interrupted_by(self, interrupted: &'a AtomicBool) -> Self {
        Self { interrupted, ..self }
    }

    /// The same with other worker processes.
    #[cfg(feature = "measure")]
    #[must_use]
    pub fn with_workers(self, workers: Workers) -> Self {
        Self { workers, ..self }
    }

    pub(super) fn tell(&self, event: Event<'_>) {
        (self.observer)(event);
    }

    pub(super) fn note(&self, text: &str) {
        self.tell(Event::Note(text));
    }

    pub(super) fn warn(&self, text: &str) {
        self.tell(Event::Warning(text));
    }
}
