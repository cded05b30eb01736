//! Why a request is not answered: one shape for all.

use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;

use crate::app;
use crate::text::with_causes;

/// What browsers ask people with, and programs read.
const CHALLENGE: &str = "Basic realm=\"estimator\", charset=\"UTF-8\"";

/// A request that is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    /// The kind in kebab case, for programs.
    pub(super) code: &'static str,
    /// For people, with the way out.
    pub(super) message: String,
    /// What nobody but the log is told.
    pub(super) cause: Option<String>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), cause: None }
    }

    /// The fault of the service. Its cause may name files, and is for the log alone.
    pub(super) fn internal(cause: impl Into<String>) -> Self {
        let message = "the service failed at this; its log says why";
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self { cause: Some(cause.into()), ..Self::new(status, "internal", message) }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    pub(super) fn not_found(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    pub(super) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
    }

    /// There is too much to do just now.
    pub(super) fn busy(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
    }
}

/// An error of the application that no client caused.
impl From<app::Error> for Problem {
    fn from(error: app::Error) -> Self {
        Self::internal(with_causes(&error))
    }
}

impl From<crate::history::HistoryError> for Problem {
    fn from(error: crate::history::HistoryError) -> Self {
        app::Error::from(error).into()
    }
}

/// What the log says of the answer that carries it.
#[derive(Debug, Clone)]
pub(super) struct Cause(pub(super) String);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = json(self.status, &json!({ "error": self.code, "message": self.message }));
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
        }
        if self.code == "busy" {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("2"));
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

/// An answer in JSON.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => (status, [(CONTENT_TYPE, "application/json")], text + "\n").into_response(),
        Err(error) => Problem::internal(error.to_string()).into_response(),
    }
}
