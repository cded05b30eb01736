//! Whether the service is alive and ready, and its metrics.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::blocking::in_turn;
use super::body::held;
use super::problem::{Problem, json};
use super::state::Service;
use crate::history::{Fleet, FleetMetrics, HistoryError};

/// What `OpenMetrics` calls its text.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// `GET /healthz`: the process answers.
pub(super) async fn alive() -> Response {
    json(StatusCode::OK, &json!({ "alive": true }))
}

/// `GET /readyz`: the history can be read, and so can the table in force, if there is one.
pub(super) async fn ready(State(service): State<Arc<Service>>) -> Result<Response, Problem> {
    let not_ready = |problem: Problem| Problem {
        status: StatusCode::SERVICE_UNAVAILABLE,
        code: "not-ready",
        message: "the history or the table in force cannot be read; the log of the service says why".into(),
        ..problem
    };
    let known = Arc::clone(&service);
    in_turn(&service.probing, move || {
        let runs = known.store.with(|history| history.count().map_err(Problem::from)).map_err(not_ready)?;
        let table = known.in_force.if_any().map_err(not_ready)?;
        Ok(json(StatusCode::OK, &json!({ "ready": true, "runs": runs, "table": table.is_some() })))
    })
    .await
}

/// `GET /metrics`, for Prometheus.
pub(super) async fn metrics(State(service): State<Arc<Service>>) -> Result<Response, Problem> {
    let known = Arc::clone(&service);
    in_turn(&service.reading, move || {
        let service = known;
        service.metrics.bodies.set(held(&service.bodies));
        let found =
            service.store.with(|history| Ok((history.latest_of_nodes()?, Fleet::of(history)?, history.count()?)));
        let (last, fleet, runs) = found.map_err(|error: HistoryError| Problem::from(error))?;
        // A table that cannot be read is for the probe of readiness to tell.
        let table = service.in_force.if_any().ok().flatten();
        let probes = service.probes.of(&fleet.machines);
        let table = table.as_ref().map(|table| &table.table);
        let known = FleetMetrics { table, last: &last, fleet: &fleet, probes: &probes, runs };
        let text = service.metrics.text(&known.registry()).map_err(|error| Problem::internal(error.to_string()))?;
        Ok(([(CONTENT_TYPE, OPEN_METRICS)], text).into_response())
    })
    .await
}
