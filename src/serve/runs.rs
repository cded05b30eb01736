//! Recorded runs, and the machines that they are of.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};

use super::blocking::in_turn;
use super::problem::{Problem, json};
use super::query::{Asked, Nothing, asked};
use super::state::Service;
use crate::app::receive::is_name;
use crate::history::{Fleet, HistoryError, Record, Selection};

/// The most runs of one answer, and how many unless asked otherwise.
const MOST: u32 = 500;
const USUAL: u32 = 50;

/// The highest number of a run that every reader of JSON takes, and the most letters of a machine class.
const HIGHEST: u64 = (1 << 53) - 1;
const LONGEST: usize = 100;

/// Which runs are asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    pub(super) machine: Option<String>,
    last: Option<u32>,
    before: Option<u64>,
}

/// Runs, the newest first.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    format: u32,
    /// How many are recorded in all.
    pub(super) count: u64,
    pub(super) runs: Vec<Record>,
    /// What `before` is for the runs that follow.
    pub(super) next: Option<u64>,
}

impl Page {
    /// Looks them up.
    pub(super) fn of(self, service: &Service) -> Result<Found, Problem> {
        let last = self.last.unwrap_or(USUAL);
        if !(1..=MOST).contains(&last) {
            return Err(Problem::bad_request(format!("last is from 1 to {MOST}")));
        }
        if self.before.is_some_and(|before| !(1..=HIGHEST).contains(&before)) {
            return Err(Problem::bad_request(format!("before is from 1 to {HIGHEST}")));
        }
        if self.machine.as_ref().is_some_and(|machine| machine.chars().count() > LONGEST) {
            return Err(Problem::bad_request(format!("a machine class has at most {LONGEST} letters")));
        }
        let selection =
            Selection { machine: self.machine, before: self.before, last: Some(last + 1), ..Selection::default() };
        let found = service.store.with(|history| Ok((history.records(&selection)?, history.count()?)));
        let (mut runs, count) = found.map_err(|error: HistoryError| Problem::from(error))?;
        runs.reverse();
        let more = runs.len() > last as usize;
        runs.truncate(last as usize);
        let next = runs.last().filter(|_| more).map(|run| run.sequence);
        Ok(Found { format: 1, count, runs, next })
    }
}

/// `GET /api/v1/runs`.
pub(super) async fn list(State(service): State<Arc<Service>>, query: Asked<Page>) -> Result<Response, Problem> {
    let page = asked(query)?;
    let known = Arc::clone(&service);
    in_turn(&service.reading, move || Ok(json(StatusCode::OK, &page.of(&known)?))).await
}

/// `GET /api/v1/runs/{id}`.
pub(super) async fn one(
    State(service): State<Arc<Service>>,
    path: Result<Path<String>, PathRejection>,
    query: Asked<Nothing>,
) -> Result<Response, Problem> {
    asked(query)?;
    let name = name(path)?;
    let known = Arc::clone(&service);
    in_turn(&service.reading, move || Ok(json(StatusCode::OK, &found(&known, &name)?))).await
}

/// `GET /api/v1/runs/{id}/report`: the page that was made when the run was fitted.
pub(super) async fn report(
    State(service): State<Arc<Service>>,
    path: Result<Path<String>, PathRejection>,
    query: Asked<Nothing>,
) -> Result<Response, Problem> {
    asked(query)?;
    let name = name(path)?;
    let known = Arc::clone(&service);
    in_turn(&service.reading, move || match fs::read(known.reports.join(&name).join("report.html")) {
        Ok(page) => Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Err(none(&name)),
        Err(error) => Err(Problem::internal(format!("the report of {name}: {error}"))),
    })
    .await
}

/// `GET /api/v1/fleet`.
pub(super) async fn fleet(State(service): State<Arc<Service>>, query: Asked<Nothing>) -> Result<Response, Problem> {
    #[derive(Serialize)]
    struct Answer {
        format: u32,
        #[serde(flatten)]
        fleet: Fleet,
    }
    asked(query)?;
    let known = Arc::clone(&service);
    in_turn(&service.reading, move || {
        let fleet = known.store.with(|history| Fleet::of(history))?;
        Ok(json(StatusCode::OK, &Answer { format: 1, fleet }))
    })
    .await
}

/// The name of a run in a path.
pub(super) fn name(path: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    let Path(name) = path.map_err(|refused| Problem::bad_request(refused.body_text()))?;
    if is_name(&name) {
        return Ok(name);
    }
    Err(Problem::bad_request(
        "the name of a run has at most 100 letters, digits, dashes and underscores, and is not `latest`",
    ))
}

/// The run of that name.
pub(super) fn found(service: &Service, name: &str) -> Result<Record, Problem> {
    let selection = Selection { run: Some(name.to_owned()), ..Selection::default() };
    let mut found = service.store.with(|history| history.records(&selection))?;
    found.pop().ok_or_else(|| none(name))
}

/// There is no such run.
fn none(name: &str) -> Problem {
    Problem::not_found("no-run", format!("there is no run {name}"))
}
