use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::out::tell;
use super::progress::Progress;
use crate::app::{Event, Session};

/// What Ctrl-C sets. A process can be told once only what to do then, however many runs it measures.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Carries a request out: people see on standard error what happens, and can stop it where something is worth keeping.
pub fn in_session<T>(carry_out: impl FnOnce(&Session<'_>) -> T) -> T {
    let progress = Progress::new();
    let observer = |event: Event<'_>| match event {
        Event::Stoppable => catch_ctrl_c(),
        event => progress.show(event),
    };
    carry_out(&Session::new().observed_by(&observer).interrupted_by(&INTERRUPTED))
}

fn catch_ctrl_c() {
    static CAUGHT: Once = Once::new();
    CAUGHT.call_once(|| {
        if let Err(error) = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed)) {
            tell!("warning: Ctrl-C cannot be caught and ends everything at once: {error}");
        }
    });
}
