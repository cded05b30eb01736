//! What every request passes before its route, and every answer on its way back.

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::answer::held;
use super::body::linger;
use super::doors::Access;
use super::log::entry;
use super::problem::{Cause, Problem};
use super::routes::{self, Route};
use super::state::Service;
use crate::measure::now;
use crate::report::script;

/// Who asks, as the connection says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) SocketAddr);

/// The most of a path that the log holds.
const PATH_SHOWN: usize = 256;

/// Nothing from elsewhere, no script but the one of pages, no frame around it. Pages have their style, and pictures theirs, within
/// them.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'",
        script::source()
    );
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

const HEADERS: [(HeaderName, &str); 3] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Lets a request in, has it answered in time, and writes it down.
pub(super) async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let began = now();
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = path.as_deref().and_then(|path| routes::find(request.method(), path));
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.to_string());
    let (method, asked) = (request.method().to_string(), request.uri().path().to_owned());
    let admitted = service.doors.admit(route.map_or(Access::Read, |route| route.access), request.headers());
    service.metrics.in_flight.inc();
    let (who, mut response) = match admitted {
        Ok(who) => (who, answered(&service, route, request, next).await),
        Err(problem) => {
            let (head, body) = request.into_parts();
            linger(&head.headers, body);
            (None, problem.into_response())
        }
    };
    service.metrics.in_flight.dec();
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    // The clock of the day may have been set back meanwhile.
    let seconds = now().duration_since(began).as_secs_f64().max(0.0);
    let status = response.status().as_u16();
    service.metrics.count(&method, path.as_deref().unwrap_or("unknown"), status, seconds);
    let shown: String = asked.chars().take(PATH_SHOWN).collect();
    let cause = response.extensions_mut().remove::<Cause>().map(|Cause(cause)| cause);
    let mut said = json!({
        "peer": peer, "token": who, "method": method, "path": shown, "status": status,
        "ms": (seconds * 1e6).round() / 1e3,
    });
    if let (Some(cause), Some(said)) = (cause, said.as_object_mut()) {
        said.insert("cause".into(), cause.into());
    }
    entry(&service.log, "request", said);
    response
}

async fn answered(service: &Service, route: Option<&Route>, request: Request, next: Next) -> Response {
    let Some(route) = route.filter(|route| route.access != Access::Open) else { return next.run(request).await };
    let Ok(_place) = service.requests.try_acquire() else {
        return Problem::busy("the service has too much to do: try again in a moment").into_response();
    };
    match tokio::time::timeout(route.within(), next.run(request)).await {
        Ok(answer) => held(answer, &service.answers).await,
        Err(_) => Problem::busy("this took longer than the service lets it").into_response(),
    }
}
