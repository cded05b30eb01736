//! Runs that nodes send.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::json as object;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::blocking::{blocking, in_turn};
use super::body::{length, linger, part};
use super::limits::{SENT, UNPACKED};
use super::problem::{Problem, json};
use super::query::{Asked, Nothing, asked};
use super::runs::name;
use super::state::Service;
use super::uploads::Claim;
use crate::app::Session;
use crate::app::receive::{Incoming, Known, Ready, ReceiveError, recover_one};
use crate::history::{Record, Selection};
use crate::text::with_causes;

/// Parts of a body that wait for the disk.
const WAITING: usize = 4;

/// `PUT /api/v1/runs/{id}`: checks, fits and records the run in the body.
pub(super) async fn put(
    State(service): State<Arc<Service>>,
    path: Result<Path<String>, PathRejection>,
    query: Asked<Nothing>,
    headers: HeaderMap,
    mut body: Body,
) -> Result<Response, Problem> {
    asked(query)?;
    let answered = taken(service, name(path)?, &headers, &mut body).await;
    if answered.is_err() {
        linger(&headers, body);
    }
    answered
}

async fn taken(service: Arc<Service>, name: String, headers: &HeaderMap, body: &mut Body) -> Result<Response, Problem> {
    if length(headers).is_some_and(|length| length > SENT.0) {
        return Err(too_large());
    }
    let claim = service.uploads.claim(&name)?;
    let (sender, receiver) = channel(WAITING);
    // What has arrived whole is recorded even if its client has gone meanwhile.
    let work = tokio::spawn(received(service, claim, Parts::new(receiver)));
    feed(body, sender).await?;
    work.await.unwrap_or_else(|error| Err(Problem::internal(format!("a task ended: {error}"))))
}

/// Unpacks, fits and records a run. Each step takes the claim along, so that it lasts as long as the work.
async fn received(service: Arc<Service>, claim: Claim, parts: Parts) -> Result<Response, Problem> {
    let reports = service.reports.clone();
    let (incoming, known, claim) = blocking(move || {
        let incoming = Incoming::unpack(&claim.name, parts, &reports, UNPACKED)?;
        let known = incoming.known()?;
        Ok((incoming, known, claim))
    })
    .await?;
    match known {
        Known::No => {}
        Known::Same => return blocking(move || answer(&known_record(&service, &claim)?, false)).await,
        Known::Other => return Err(conflict(&claim.name, "another run of this name is there")),
    }
    let chain = service.uploads.chain.clone();
    let fit = move || Ok((incoming.fit(chain, &Session::new())?, claim));
    let (ready, claim) = in_turn(&service.uploads.fits, fit).await?;
    blocking(move || answer(&record(&service, ready, &claim)?, true)).await
}

/// Records a run that is fitted.
fn record(service: &Service, ready: Ready, claim: &Claim) -> Result<Record, Problem> {
    service.store.recording(|history| {
        if history.has_ended(&claim.name)? {
            let text = "a run of this name is recorded already, and its folder is not here: it may have been taken out";
            return Err(conflict(&claim.name, text));
        }
        Ok(ready.record(history)?)
    })
}

/// The record of a run that is there, made if a kill left it out.
fn known_record(service: &Service, claim: &Claim) -> Result<Record, Problem> {
    let selection = Selection { run: Some(claim.name.clone()), ..Selection::default() };
    let found = service.store.recording(|history| {
        recover_one(&service.reports, &claim.name, history).map_err(ReceiveError::from)?;
        Ok::<_, Problem>(history.records(&selection)?)
    });
    let gone = || {
        let text =
            "this run is here and not in the history: it was taken out, or was measured here and its night records it";
        conflict(&claim.name, text)
    };
    found?.pop().ok_or_else(gone)
}

fn answer(record: &Record, new: bool) -> Result<Response, Problem> {
    let status = if new { StatusCode::CREATED } else { StatusCode::OK };
    let said = object!({ "format": 1, "run": record.run, "outcome": record.outcome, "new": new });
    let mut response = json(status, &said);
    let place = HeaderValue::from_str(&format!("/api/v1/runs/{}", record.run));
    response.headers_mut().insert(LOCATION, place.map_err(|error| Problem::internal(error.to_string()))?);
    Ok(response)
}

fn conflict(name: &str, reason: &str) -> Problem {
    Problem::new(StatusCode::CONFLICT, "conflict", format!("{name}: {reason}"))
}

fn too_large() -> Problem {
    Problem::too_large(format!("the body is larger than {SENT}"))
}

impl From<ReceiveError> for Problem {
    fn from(error: ReceiveError) -> Self {
        let text = error.to_string();
        match &error {
            ReceiveError::TooLarge(_) => Self::too_large(text),
            ReceiveError::Archive(_) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, "no-archive", text),
            ReceiveError::Run(_) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, "no-run", text),
            ReceiveError::Full(_) => Self {
                cause: Some(with_causes(&error)),
                ..Self::new(
                    StatusCode::INSUFFICIENT_STORAGE,
                    "full",
                    "there is no room for the run; nothing of it was kept",
                )
            },
            ReceiveError::Failed(_) => Self::internal(with_causes(&error)),
        }
    }
}

/// Hands the body on, part by part, as fast as they are taken, and `None` after the last.
async fn feed(body: &mut Body, to: Sender<Option<Bytes>>) -> Result<(), Problem> {
    let mut length = 0;
    while let Some(part) = part(body).await? {
        length += part.len() as u64;
        if length > SENT.0 {
            return Err(too_large());
        }
        // Whoever unpacks may have found out that it is no run.
        if to.send(Some(part)).await.is_err() {
            return Ok(());
        }
    }
    let _ = to.send(None).await;
    Ok(())
}

/// What is fed, for a thread that reads.
struct Parts {
    from: Receiver<Option<Bytes>>,
    part: Bytes,
    is_whole: bool,
}

impl Parts {
    fn new(from: Receiver<Option<Bytes>>) -> Self {
        Self { from, part: Bytes::new(), is_whole: false }
    }
}

impl Read for Parts {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.part.is_empty() && !self.is_whole {
            match self.from.blocking_recv() {
                Some(Some(part)) => self.part = part,
                Some(None) => self.is_whole = true,
                None => return Err(io::Error::new(ErrorKind::UnexpectedEof, "it broke off")),
            }
        }
        let length = into.len().min(self.part.len());
        into[..length].copy_from_slice(&self.part.split_to(length));
        Ok(length)
    }
}
