//! One run of a night.

use std::path::PathBuf;

use super::events::event;
use super::request::NightRequest;
use super::send;
use crate::app::analysis::Analysis;
use crate::app::error::Error;
use crate::app::event::Event;
use crate::app::in_force::TableInForce;
use crate::app::measure_run::measure_run;
use crate::app::overrides::Overrides;
use crate::app::plan_run::plan_run;
use crate::app::session::Session;
use crate::history::{EventKind, Outcome, Record, Role, write_night};
use crate::measure::Stop;
use crate::params::ParamTable;
use crate::text::quoted;

/// A table with the folder of the run that it follows from.
pub(super) type Proposal = (ParamTable, PathBuf);

/// A run that was measured and fitted.
pub(super) struct Measured {
    pub(super) record: Record,
    pub(super) proposal: Option<Proposal>,
    /// Why its fit must not be used; empty if it may.
    pub(super) rejected: Vec<String>,
}

/// Measures and fits one run, the first of its night or to confirm the run `first`. Its folder says from before the first sample on
/// what it was made for.
pub(super) fn one_run(
    request: &NightRequest,
    sequence: u64,
    first: Option<&str>,
    session: &Session<'_>,
) -> Result<Measured, Error> {
    let in_force = request.params.as_deref().map(TableInForce::named).transpose()?;
    let mut planned = plan_run(&request.plan, in_force.as_ref(), session)?;
    let (folder, run) = (planned.folder.clone(), &planned.run);
    let role = if first.is_some() { Role::Confirming } else { Role::First };
    let record = Record::planned(run, sequence, first.unwrap_or(&run.run), role);
    write_night(folder.path(), &record)?;
    session.tell(Event::Run { run, folder: folder.path() });
    if measure_run(&mut planned, session)? == Stop::Interrupted {
        let folder = quoted(folder.path());
        return Err(Error::Failed(format!("the night was interrupted; what was measured is kept in {folder}")));
    }
    let analysis = Analysis::of_run(folder.clone(), Overrides::default(), session)?;
    analysis.write()?;
    let mut record = record.fitted(analysis.fit(), analysis.table());
    if record.outcome == Outcome::Noisy {
        let reasons: Vec<String> = analysis.fit().refused.iter().map(ToString::to_string).collect();
        let text = format!("Run {} is not signed: {}.", record.run, reasons.join("; "));
        record.events.push(event(EventKind::Noisy, &format!("noisy/{}", record.run), text, request, Some(&record)));
    }
    write_night(folder.path(), &record)?;
    send::mark(request, folder.path())?;
    let signed = analysis.table().filter(|_| !analysis.is_unsigned());
    let proposal = signed.cloned().map(|table| (table, folder.path().to_owned()));
    let rejected = analysis.fit().rejected.iter().map(ToString::to_string).collect();
    Ok(Measured { record, proposal, rejected })
}
