//! What a night found as a file for `node_exporter`, for those without the service: the same names as its `/metrics`.

use super::request::NightRequest;
use crate::app::Probes;
use crate::app::error::Error;
use crate::app::session::Session;
use crate::files::write_whole;
use crate::history::{Fleet, FleetMetrics, History};
use crate::params::ParamTable;
use crate::text::with_causes;

/// Writes the file, if one is asked for. A night is what it is without.
pub(super) fn write(request: &NightRequest, history: &History, session: &Session<'_>) {
    let Some(file) = &request.metrics.textfile else { return };
    let written = text(request, history).and_then(|text| Ok(write_whole(file, text.as_bytes())?));
    if let Err(error) = written {
        session.warn(&format!("the metrics are not written: {}", with_causes(&error)));
    }
}

fn text(request: &NightRequest, history: &History) -> Result<String, Error> {
    // A table that cannot be read has failed the night already.
    let table = request.params.as_deref().and_then(|file| ParamTable::load(file).ok());
    let (last, fleet, runs) = (history.latest_of_nodes()?, Fleet::of(history)?, history.count()?);
    let probes = Probes::new(&request.plan.out).of(&fleet.machines);
    let metrics = FleetMetrics { table: table.as_ref(), last: &last, fleet: &fleet, probes: &probes, runs };
    metrics.text().map_err(|error| Error::Failed(error.to_string()))
}
