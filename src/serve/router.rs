//! The service as a whole: its routes behind the guard.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;

use super::guard::guard;
use super::problem::Problem;
use super::routes::routed;
use super::state::Service;

/// The service as a whole.
pub(super) fn router(service: &Arc<Service>) -> Router {
    let unknown = || async { Problem::not_found("not-found", "there is no such page; /api/v1/openapi.json lists all") };
    let other = || async {
        let text = "this cannot be done with it; /api/v1/openapi.json says what can";
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", text)
    };
    let guarded = axum::middleware::from_fn_with_state(Arc::clone(service), guard);
    routed().fallback(unknown).method_not_allowed_fallback(other).layer(guarded).with_state(Arc::clone(service))
}
