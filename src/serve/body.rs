//! Bodies of requests, of which no client makes the service hold too much, or wait too long.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use axum::http::{HeaderMap, StatusCode};
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits;
use super::problem::Problem;
use crate::units;

/// What a permit stands for.
const UNIT: u64 = 1 << 10;

/// The memory for bodies that are read whole.
pub(super) fn memory() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(units::Bytes(limits::BODIES.0 / UNIT).host_size()))
}

/// How many bytes of it bodies hold.
pub(super) fn held(memory: &Semaphore) -> i64 {
    let free = memory.available_permits() as u64 * UNIT;
    i64::try_from(limits::BODIES.0.saturating_sub(free)).unwrap_or(i64::MAX)
}

/// A body with its share of the memory, which is given back when it is dropped.
pub(super) struct Whole {
    pub(super) bytes: Vec<u8>,
    _share: OwnedSemaphorePermit,
}

/// Reads a body of at most so many bytes.
pub(super) async fn whole(
    headers: &HeaderMap,
    mut body: Body,
    most: units::Bytes,
    memory: &Arc<Semaphore>,
) -> Result<Whole, Problem> {
    let whole = read(headers, &mut body, most, memory).await;
    if whole.is_err() {
        linger(headers, body);
    }
    whole
}

async fn read(
    headers: &HeaderMap,
    body: &mut Body,
    most: units::Bytes,
    memory: &Arc<Semaphore>,
) -> Result<Whole, Problem> {
    let too_large = || Problem::too_large(format!("the body is larger than {most}"));
    if length(headers).is_some_and(|length| length > most.0) {
        return Err(too_large());
    }
    // A client has a share of what it sent, and none of what it holds back.
    let more = |units| {
        let share = Arc::clone(memory).try_acquire_many_owned(u32::try_from(units).unwrap_or(u32::MAX));
        share.map_err(|_| Problem::busy("too many bodies are on their way: try again in a moment"))
    };
    let (mut bytes, mut share) = (Vec::new(), more(0)?);
    while let Some(part) = part(body).await? {
        let length = (bytes.len() + part.len()) as u64;
        if length > most.0 {
            return Err(too_large());
        }
        share.merge(more(length.div_ceil(UNIT) - share.num_permits() as u64)?);
        bytes.extend_from_slice(&part);
    }
    Ok(Whole { bytes, _share: share })
}

/// How long a body is, if its client says so.
pub(super) fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Takes the rest of a body that is refused, for a while: a client that still sends when the connection is closed may never read why.
/// One that asked whether to send anything is left to read that it need not.
pub(super) fn linger(headers: &HeaderMap, mut body: Body) {
    if headers.contains_key(EXPECT) {
        return;
    }
    tokio::spawn(async move {
        let rest = async {
            let mut left = limits::LINGER.0;
            while let Ok(Some(part)) = part(&mut body).await {
                let Some(less) = left.checked_sub(part.len() as u64) else { return };
                left = less;
            }
        };
        let _ = tokio::time::timeout(limits::LINGER_TIME, rest).await;
    });
}

/// The next part of a body, `None` after the last.
pub(super) async fn part(body: &mut Body) -> Result<Option<Bytes>, Problem> {
    loop {
        let frame = tokio::time::timeout(limits::PART_TIME, body.frame()).await.map_err(|_| {
            Problem::new(StatusCode::REQUEST_TIMEOUT, "too-slow", "the next part of the body took too long")
        })?;
        match frame {
            None => return Ok(None),
            Some(Err(error)) => return Err(Problem::bad_request(format!("the body broke off: {error}"))),
            // What is not data is a trailer, which nobody asked for.
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}
