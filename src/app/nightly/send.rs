//! The runs of nights to a service. What could not be sent is sent the next night.

use std::fs;
use std::path::{Path, PathBuf};

use super::request::NightRequest;
use crate::app::error::Error;
use crate::app::push::{NotSent, PushRequest, send};
use crate::app::session::Session;
use crate::files::write_whole;
use crate::history::recover as folders;
use crate::text::with_causes;

/// The file in the folder of a run that has not been sent yet. It holds where to.
pub(super) const UNSENT: &str = "unsent";

/// What it is called once the service has refused the run, which is not sent again: by hand, with `estimator push`, it says why.
pub(super) const REFUSED: &str = "refused";

/// Notes that the run in this folder is to be sent, if any is.
pub(super) fn mark(request: &NightRequest, folder: &Path) -> Result<(), Error> {
    let Some(settings) = &request.push else { return Ok(()) };
    Ok(write_whole(&folder.join(UNSENT), format!("{}\n", settings.to).as_bytes())?)
}

/// Sends the runs that are noted, the oldest first. Where the service is out of reach or takes nothing, all that are left wait for the
/// next night; where it refuses one, the others go on.
pub(super) fn send_all(request: &NightRequest, session: &Session<'_>) {
    let Some(settings) = &request.push else { return };
    let unsent = |folder: &PathBuf| folder.join(UNSENT).exists();
    let left: Vec<PathBuf> = folders(&request.plan.out).unwrap_or_default().into_iter().filter(unsent).collect();
    let (mut sent, mut kept) = (0, left.len());
    for folder in &left {
        let mark = folder.join(UNSENT);
        let request = PushRequest { run: folder.clone(), settings: settings.clone() };
        let done = send(&request, session)
            .and_then(|_| fs::remove_file(&mark).map_err(|error| NotSent::Unread(Error::Write(error))));
        match done {
            Ok(()) => (sent, kept) = (sent + 1, kept - 1),
            Err(NotSent::Any(error)) => {
                let runs = if kept == 1 { "run is" } else { "runs are" };
                session.warn(&format!("{kept} {runs} kept, and sent the next night: {}", with_causes(&error)));
                break;
            }
            Err(NotSent::Unread(error)) => {
                session.warn(&format!("a run is kept, and sent the next night: {}", with_causes(&error)));
            }
            Err(NotSent::Refused(error)) => {
                kept -= 1;
                session.warn(&format!("a run is not sent again: {}", with_causes(&error)));
                if let Err(error) = fs::rename(&mark, folder.join(REFUSED)) {
                    session.warn(&format!("{} cannot be renamed: {error}", mark.display()));
                }
            }
        }
    }
    if sent > 0 {
        let runs = if sent == 1 { "run" } else { "runs" };
        session.note(&format!("{sent} {runs} sent to {}", settings.to));
    }
}
