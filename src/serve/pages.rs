//! The dashboard: pages for people.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::blocking::blocking;
use super::body::whole;
use super::form;
use super::limits::FORM;
use super::problem::{Cause, Problem};
use super::query::{Asked, Nothing, asked};
use super::quotes::quoted;
use super::runs::{self, name};
use super::state::Service;
use crate::app::history::whole_trend;
use crate::history::{Fleet, History, Record, Selection};
use crate::report::document::Document;
use crate::report::{pages, render};

/// A problem that a person reads.
pub(super) struct Shown(Problem);

impl<P: Into<Problem>> From<P> for Shown {
    fn from(problem: P) -> Self {
        Self(problem.into())
    }
}

impl IntoResponse for Shown {
    fn into_response(self) -> Response {
        let Problem { status, message, cause, .. } = self.0;
        let title = status.canonical_reason().unwrap_or("That did not work");
        let mut response = page(status, &pages::service::problem(title, &message))
            .unwrap_or_else(|Self(problem)| problem.into_response());
        if let Some(cause) = cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

type Page = Result<Response, Shown>;

fn page(status: StatusCode, document: &Document) -> Page {
    let html = render::html(document).map_err(|error| Problem::internal(error.to_string()))?;
    Ok((status, [(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response())
}

/// A page that is made of the history.
async fn of_history(
    service: Arc<Service>,
    make: impl FnOnce(&Service, &History) -> Result<Document, Problem> + Send + 'static,
) -> Page {
    let document = blocking(move || service.store.with(|history| make(&service, history))).await?;
    page(StatusCode::OK, &document)
}

/// `GET /`.
pub(super) async fn overview(State(service): State<Arc<Service>>, query: Asked<Nothing>) -> Page {
    asked(query)?;
    of_history(service, |service, history| {
        let (last, fleet) = (history.latest(false)?, Fleet::of(history)?);
        let table = service.in_force.if_any()?;
        Ok(pages::service::overview(table.as_ref().map(|table| &table.table), &last, &fleet))
    })
    .await
}

/// `GET /fleet`.
pub(super) async fn fleet(State(service): State<Arc<Service>>, query: Asked<Nothing>) -> Page {
    asked(query)?;
    of_history(service, |_, history| Ok(pages::service::fleet(&Fleet::of(history)?))).await
}

/// Whose trends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Whose {
    machine: Option<String>,
}

/// `GET /trends`: of the machine of the newest run, unless another is named.
pub(super) async fn trends(State(service): State<Arc<Service>>, query: Asked<Whose>) -> Page {
    let Whose { machine } = asked(query)?;
    of_history(service, move |_, history| {
        let machines = history.latest(true)?;
        let is_it = |record: &&Record| machine.as_ref().is_none_or(|machine| record.machine == *machine);
        let none = || Problem::not_found("no-run", "no run of that machine is recorded that may be used");
        let newest = machines.iter().rev().find(is_it).ok_or_else(none)?;
        let trend = whole_trend(history, &newest.key())?;
        Ok(pages::service::trends(trend.document(), &machines))
    })
    .await
}

/// `GET /runs`.
pub(super) async fn runs(State(service): State<Arc<Service>>, query: Asked<runs::Page>) -> Page {
    let page_of = asked(query)?;
    let document = blocking(move || {
        let machine = page_of.machine.clone();
        let found = page_of.of(&service)?;
        let older = found.next.map(|next| match &machine {
            Some(machine) => format!("/runs?machine={}&before={next}", pages::service::part(machine)),
            None => format!("/runs?before={next}"),
        });
        Ok(pages::service::runs(&found.runs, found.count, older.as_deref()))
    });
    page(StatusCode::OK, &document.await?)
}

/// `GET /runs/{id}`.
pub(super) async fn run(
    State(service): State<Arc<Service>>,
    path: Result<Path<String>, PathRejection>,
    query: Asked<Nothing>,
) -> Page {
    asked(query)?;
    let name = name(path)?;
    of_history(service, move |service, history| {
        let selection = Selection { run: Some(name.clone()), ..Selection::default() };
        let found = history.records(&selection)?;
        let record = found.first().ok_or_else(|| runs::none(&name))?;
        Ok(pages::service::run(record, service.reports.join(&name).join("report.html").is_file()))
    })
    .await
}

/// `GET /runs/{id}/report`.
pub(super) async fn report(
    state: State<Arc<Service>>,
    path: Result<Path<String>, PathRejection>,
    query: Asked<Nothing>,
) -> Page {
    Ok(runs::report(state, path, query).await?)
}

/// `GET /price`: where a person picks a contract.
pub(super) async fn price(query: Asked<Nothing>) -> Page {
    asked(query)?;
    page(StatusCode::OK, &pages::service::price())
}

/// `POST /price`: the bill of the contract in a form.
pub(super) async fn bill(
    State(service): State<Arc<Service>>,
    query: Asked<Nothing>,
    headers: HeaderMap,
    body: Body,
) -> Page {
    asked(query)?;
    let table = service.in_force.current()?;
    let mut body = whole(&headers, body, FORM, &service.bodies).await?;
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let no_file = || Problem::bad_request("the form has no file: go back and pick one");
    let (name, place) = form::file(content_type, &body.bytes).ok_or_else(no_file)?;
    body.bytes.truncate(place.end);
    body.bytes.drain(..place.start);
    let quote = quoted(&service, Arc::clone(&table), name, move || body.bytes).await?;
    let run = &table.table.provenance.run;
    let by = format!("By the table in force, of run {} on machine {}.", run.run, run.machine);
    page(StatusCode::OK, &pages::service::bill(&quote.price, &quote.facts, &quote.objections, &by))
}
