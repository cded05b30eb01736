//! The dashboard: pages for people.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::blocking::in_turn;
use super::body::whole;
use super::form;
use super::limits::FORM;
use super::problem::{Cause, Problem};
use super::query::{Asked, Nothing, asked};
use super::quotes::quoted;
use super::runs::{self, name};
use super::state::Service;
use crate::app::history::{WHOLE, trend_of, trend_runs};
use crate::history::{Fleet, History, Record};
use crate::params::ParamTable;
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
    Ok(html(status, rendered(document)?))
}

fn rendered(document: &Document) -> Result<Bytes, Problem> {
    let html = render::html(document).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(html.into())
}

fn html(status: StatusCode, page: Bytes) -> Response {
    (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

/// A page of what `look` finds in the history, which nobody else waits for while it is made, and which is kept until the history or the
/// table in force changes.
async fn of_history<T: 'static>(
    service: Arc<Service>,
    path: String,
    look: impl FnOnce(&Service, &History) -> Result<T, Problem> + Send + 'static,
    make: impl FnOnce(Option<&ParamTable>, T) -> Document + Send + 'static,
) -> Page {
    let known = Arc::clone(&service);
    let answer = in_turn(&service.reading, move || {
        let table = known.in_force.if_any()?;
        let looked = known.store.with(|history| {
            let state = (known.store.openings(), history.changes()?, table.as_ref().map(|table| table.etag.clone()));
            match known.kept.find(&path, &state) {
                Some(page) => Ok::<_, Problem>(Ok(page)),
                None => Ok(Err((state, look(&known, history)?))),
            }
        });
        match looked? {
            Ok(page) => Ok(page),
            Err((state, found)) => {
                let page = rendered(&make(table.as_ref().map(|table| &table.table), found))?;
                known.kept.keep(path, state, page.clone());
                Ok(page)
            }
        }
    });
    Ok(html(StatusCode::OK, answer.await?))
}

/// `GET /`.
pub(super) async fn overview(State(service): State<Arc<Service>>, query: Asked<Nothing>) -> Page {
    asked(query)?;
    let look = |_: &Service, history: &History| Ok((history.latest(false)?, Fleet::of(history)?));
    let make = |table: Option<&ParamTable>, (last, fleet): (Vec<Record>, Fleet)| {
        pages::service::overview(table, &last, &fleet)
    };
    of_history(service, "/".into(), look, make).await
}

/// `GET /fleet`.
pub(super) async fn fleet(State(service): State<Arc<Service>>, query: Asked<Nothing>) -> Page {
    asked(query)?;
    let look = |_: &Service, history: &History| Ok(Fleet::of(history)?);
    of_history(service, "/fleet".into(), look, |_, fleet| pages::service::fleet(&fleet)).await
}

/// Nights of a trend, and how many unless asked otherwise.
const NIGHTS: u32 = WHOLE;
const USUAL_NIGHTS: u32 = 100;

/// Whose trends, over how many runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Whose {
    machine: Option<String>,
    last: Option<u32>,
}

/// `GET /trends`: of the machine of the newest run, unless another is named.
pub(super) async fn trends(State(service): State<Arc<Service>>, query: Asked<Whose>) -> Page {
    let Whose { machine, last } = asked(query)?;
    let last = last.unwrap_or(USUAL_NIGHTS);
    if !(1..=NIGHTS).contains(&last) {
        return Err(Problem::bad_request(format!("last is from 1 to {NIGHTS}")).into());
    }
    let path = format!("/trends {last} {machine:?}");
    let look = move |_: &Service, history: &History| {
        let machines = history.latest(true)?;
        let is_it = |record: &&Record| machine.as_ref().is_none_or(|machine| record.machine == *machine);
        let none = || Problem::not_found("no-run", "no run of that machine is recorded that may be used");
        let newest = machines.iter().rev().find(is_it).ok_or_else(none)?;
        Ok((trend_runs(history, &newest.key(), last)?, machines))
    };
    let make = move |_: Option<&ParamTable>, (runs, machines): (Vec<Record>, Vec<Record>)| {
        let is_cut = last < NIGHTS && runs.len() == last as usize;
        let longer = runs.first().filter(|_| is_cut).map(|run| {
            let machine = pages::service::part(&run.machine);
            format!("/trends?machine={machine}&last={NIGHTS}")
        });
        let trend = trend_of(&runs).map(|trend| trend.document(pages::service::name)).unwrap_or_default();
        pages::service::trends(trend, &machines, longer.as_deref())
    };
    of_history(service, path, look, make).await
}

/// `GET /runs`.
pub(super) async fn runs(State(service): State<Arc<Service>>, query: Asked<runs::Page>) -> Page {
    let page_of = asked(query)?;
    let known = Arc::clone(&service);
    let made = in_turn(&service.reading, move || {
        let machine = page_of.machine.clone();
        let found = page_of.of(&known)?;
        let older = found.next.map(|next| match &machine {
            Some(machine) => format!("/runs?machine={}&before={next}", pages::service::part(machine)),
            None => format!("/runs?before={next}"),
        });
        rendered(&pages::service::runs(&found.runs, found.count, older.as_deref()))
    });
    Ok(html(StatusCode::OK, made.await?))
}

/// `GET /runs/{id}`.
pub(super) async fn run(
    State(service): State<Arc<Service>>,
    path: Result<Path<String>, PathRejection>,
    query: Asked<Nothing>,
) -> Page {
    asked(query)?;
    let name = name(path)?;
    let known = Arc::clone(&service);
    let made = in_turn(&service.reading, move || {
        let record = runs::found(&known, &name)?;
        let table = known.in_force.if_any().ok().flatten();
        let unit = table.as_ref().and_then(|current| current.table.provenance.chain.gas_unit.as_ref());
        rendered(&pages::service::run(&record, unit, known.reports.join(&name).join("report.html").is_file()))
    });
    Ok(html(StatusCode::OK, made.await?))
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
    let body = whole(&headers, body, FORM, &service.bodies).await?;
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let no_file = || Problem::bad_request("the form has no file: go back and pick one");
    let find = move |body: &[u8]| form::file(&content_type, body).ok_or_else(no_file);
    let (quote, table) = quoted(&service, body, find).await?;
    let run = &table.table.provenance.run;
    let by = format!("By the table in force, of run {} on machine {}.", run.run, run.machine);
    page(StatusCode::OK, &pages::service::bill(&quote.price, &quote.facts, &quote.objections, &by))
}
