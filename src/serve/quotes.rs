//! What a contract pays, and by which table.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};

use super::blocking::{blocking, in_turn};
use super::body::{Whole, whole};
use super::in_force::Current;
use super::limits::MODULE;
use super::problem::{Problem, json};
use super::query::{Asked, Nothing, asked};
use super::state::Service;
use crate::app::{Quote, QuoteError};
use crate::params::{EXPORTERS, Exporter, ParamTable, ParamsError};

/// How a contract is called whose name nobody told.
const NAME: &str = "contract";

/// What whoever uses an export should know, as a JSON list.
const NOTES: HeaderName = HeaderName::from_static("estimator-notes");

/// The answer to a contract.
#[derive(Serialize)]
struct Priced<'a> {
    format: u32,
    /// The table by its run and machine.
    run: &'a str,
    machine: &'a str,
    #[serde(flatten)]
    quote: Quote,
}

/// `POST /api/v1/price`: the bill of the module in the body.
pub(super) async fn price(
    State(service): State<Arc<Service>>,
    query: Asked<Nothing>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    asked(query)?;
    let coding = headers.get(CONTENT_ENCODING).map_or("identity", |value| value.to_str().unwrap_or_default());
    if !["identity", "gzip", "x-gzip"].contains(&coding.to_ascii_lowercase().as_str()) {
        let text = "the body may be encoded as gzip, and otherwise not";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "encoding", text));
    }
    let body = whole(&headers, body, MODULE, &service.bodies).await?;
    let all = |body: &[u8]| Ok((NAME.to_owned(), 0..body.len()));
    let (quote, table) = quoted(&service, body, all).await?;
    let run = &table.table.provenance.run;
    Ok(json(StatusCode::OK, &Priced { format: 1, run: &run.run, machine: &run.machine, quote }))
}

/// The quote for a module, made when its turn comes, and the table that it is by. `find` tells what the module is called and where in
/// the body it is.
pub(super) async fn quoted(
    service: &Arc<Service>,
    body: Whole,
    find: impl FnOnce(&[u8]) -> Result<(String, Range<usize>), Problem> + Send + 'static,
) -> Result<(Quote, Arc<Current>), Problem> {
    let known = Arc::clone(service);
    in_turn(&service.pricing, move || {
        let table = known.in_force.current()?;
        let quote = of_body(&body, find, &table.table)?;
        Ok((quote, table))
    })
    .await
}

/// Takes the body as a whole, with its share of the memory.
fn of_body(
    body: &Whole,
    find: impl FnOnce(&[u8]) -> Result<(String, Range<usize>), Problem>,
    table: &ParamTable,
) -> Result<Quote, Problem> {
    let (name, place) = find(&body.bytes)?;
    Quote::of(&name, &body.bytes[place], table, MODULE).map_err(|error| match error {
        QuoteError::TooLarge(_) => Problem::too_large(error.to_string()),
        QuoteError::NoGzip(_) | QuoteError::NoModule(_) => {
            let text = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "no-module", text)
        }
    })
}

/// `GET /api/v1/params`: the table in force and its accepted changes.
pub(super) async fn params(
    State(service): State<Arc<Service>>,
    query: Asked<Nothing>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    asked(query)?;
    blocking(move || {
        let table = service.in_force.current()?;
        let tag = HeaderValue::from_str(&table.etag).map_err(|error| Problem::internal(error.to_string()))?;
        let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut known = known.flat_map(|value| value.split(',')).map(|tag| tag.trim().trim_start_matches("W/"));
        let marks = [(ETAG, tag), (CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
        if known.any(|known| known == table.etag || known == "*") {
            return Ok((StatusCode::NOT_MODIFIED, marks).into_response());
        }
        Ok((marks, [(CONTENT_TYPE, "application/json")], table.body.clone()).into_response())
    })
    .await
}

/// What an export may be asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Worth {
    gas_per_second: Option<u64>,
}

/// The most that a second is worth, as on the command line.
const WORTH_MAX: u64 = 1_000_000_000_000_000_000;

/// `GET /api/v1/export/{format}`: the table in force in a chain's own format.
pub(super) async fn export(
    State(service): State<Arc<Service>>,
    path: Result<Path<String>, PathRejection>,
    query: Asked<Worth>,
) -> Result<Response, Problem> {
    let Path(name) = path.map_err(|refused| Problem::bad_request(refused.body_text()))?;
    let Worth { gas_per_second } = asked(query)?;
    if gas_per_second.is_some_and(|worth| !(1..=WORTH_MAX).contains(&worth)) {
        return Err(Problem::bad_request(format!("gas_per_second is from 1 to {WORTH_MAX}")));
    }
    let format = Exporter::find(&name).ok_or_else(|| {
        let names = EXPORTERS.map(|exporter| exporter.name).join(", ");
        Problem::not_found("no-format", format!("there is no such format: it is one of {names}"))
    })?;
    blocking(move || exported(&service, format, gas_per_second)).await
}

fn exported(service: &Service, format: &Exporter, gas_per_second: Option<u64>) -> Result<Response, Problem> {
    let table = service.in_force.current()?;
    let exported = format.export(&table.table, gas_per_second).map_err(|error| match error {
        ParamsError::RateMissing(_) => Problem::bad_request(
            "this format does not say what a second of execution is worth: add ?gas_per_second=N".to_owned(),
        ),
        other => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "no-export", other.to_string()),
    })?;
    let kind = if format.is_json { "application/json" } else { "text/plain; charset=utf-8" };
    let notes = HeaderValue::from_str(&ascii(&serde_json::json!(exported.notes).to_string()));
    let notes = notes.map_err(|error| Problem::internal(error.to_string()))?;
    Ok(([(NOTES, notes)], [(CONTENT_TYPE, kind)], exported.text).into_response())
}

/// JSON in the characters that a header may have.
fn ascii(json: &str) -> String {
    let mut text = String::new();
    for c in json.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_in_a_header_read_back_as_they_were() {
        let notes = ["5 % … 6 %", "𝛼 \"q\""];
        let header = ascii(&serde_json::json!(notes).to_string());
        assert!(header.is_ascii() && HeaderValue::from_str(&header).is_ok(), "{header}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&header).unwrap(), notes);
    }
}
