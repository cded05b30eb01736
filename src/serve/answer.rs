//! Answers, of which no client that reads slowly makes the service hold too much.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits;
use super::problem::Problem;
use crate::units;

/// What a permit stands for.
const UNIT: u64 = 1 << 10;

/// What is handed on at once, and what is not counted: as much as a connection has room for.
const PART: usize = 16 << 10;

/// The memory for answers.
pub(super) fn memory() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(units::Bytes(limits::ANSWERS.0 / UNIT).host_size()))
}

/// An answer with its share of the memory, which is given back once it has been handed on.
struct Held {
    rest: Bytes,
    _share: OwnedSemaphorePermit,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.rest.len().min(PART);
        let part = self.rest.split_to(length);
        Poll::Ready((length > 0).then_some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

/// The answer, or the word that too many are on their way.
pub(super) async fn held(answer: Response, memory: &Arc<Semaphore>) -> Response {
    let length = answer.body().size_hint().exact().unwrap_or(0);
    if length <= PART as u64 {
        return answer;
    }
    let share = u32::try_from(length.div_ceil(UNIT)).unwrap_or(u32::MAX);
    let Ok(share) = Arc::clone(memory).try_acquire_many_owned(share) else {
        return Problem::busy("too many answers are on their way: try again in a moment").into_response();
    };
    let (head, body) = answer.into_parts();
    match body.collect().await {
        Ok(whole) => Response::from_parts(head, Body::new(Held { rest: whole.to_bytes(), _share: share })),
        Err(error) => Problem::internal(error.to_string()).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::*;

    #[tokio::test]
    async fn an_answer_holds_its_share_until_it_is_handed_on_and_one_too_many_is_told_to_wait() {
        let memory = Arc::new(Semaphore::new(100));
        let large = vec![7_u8; 60 << 10];
        let first = held(large.clone().into_response(), &memory).await;
        assert_eq!((first.status(), memory.available_permits()), (StatusCode::OK, 40));
        let second = held(large.clone().into_response(), &memory).await;
        assert_eq!((second.status(), memory.available_permits()), (StatusCode::SERVICE_UNAVAILABLE, 40));
        let small = held("small".into_response(), &memory).await;
        assert_eq!((small.status(), memory.available_permits()), (StatusCode::OK, 40));
        assert_eq!(first.body().size_hint().exact(), Some(large.len() as u64));
        assert_eq!(first.into_body().collect().await.unwrap().to_bytes(), large);
        assert_eq!(memory.available_permits(), 100);
    }
}
