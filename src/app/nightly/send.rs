//! The runs of nights to a service. What could not be sent is sent the next night.

use std::fs;
use std::path::{Path, PathBuf};

use super::request::NightRequest;
use crate::app::error::Error;
use crate::app::push::{PushRequest, push};
use crate::app::session::Session;
use crate::files::write_whole;
use crate::history::recover as folders;
use crate::text::with_causes;

/// The file in the folder of a run that has not been sent yet. It holds where to.
pub(super) const UNSENT: &str = "unsent";

/// Notes that the run in this folder is to be sent, if any is.
pub(super) fn mark(request: &NightRequest, folder: &Path) -> Result<(), Error> {
    let Some(settings) = &request.push else { return Ok(()) };
    Ok(write_whole(&folder.join(UNSENT), format!("{}\n", settings.to).as_bytes())?)
}

/// Sends the runs that are noted, the oldest first. After one that the service could not take the others wait too: it is out of reach, or
/// refuses all.
pub(super) fn send_all(request: &NightRequest, session: &Session<'_>) {
    let Some(settings) = &request.push else { return };
    let unsent = |folder: &PathBuf| folder.join(UNSENT).exists();
    let left: Vec<PathBuf> = folders(&request.plan.out).unwrap_or_default().into_iter().filter(unsent).collect();
    let mut sent = 0;
    for folder in &left {
        let done = push(&PushRequest { run: folder.clone(), settings: settings.clone() }, session)
            .and_then(|_| Ok(fs::remove_file(folder.join(UNSENT))?));
        if let Err(error) = done {
            let kept = left.len() - sent;
            let runs = if kept == 1 { "run is" } else { "runs are" };
            session.warn(&format!("{kept} {runs} kept, and sent the next night: {}", with_causes(&error)));
            return;
        }
        sent += 1;
    }
    if sent > 0 {
        let runs = if sent == 1 { "run" } else { "runs" };
        session.note(&format!("{sent} {runs} sent to {}", settings.to));
    }
}
