//! Every route, with what it asks of whoever comes.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Method;
use axum::routing::{get, post, put};

use super::doors::Access;
use super::state::Service;
use super::{health, limits, openapi, pages, quotes, runs, upload};

/// A route of the service.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    /// In lower case.
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) access: Access,
}

impl Route {
    /// How long an answer may take.
    pub(super) fn within(&self) -> Duration {
        if self.access == Access::Push { limits::UPLOAD_TIME } else { limits::REQUEST_TIME }
    }
}

/// Lists routes and leads each to its function.
macro_rules! routes {
    ($($method:ident $path:literal $access:ident => $handler:path),+ $(,)?) => {
        /// All routes.
        pub(super) const ROUTES: &[Route] = &[
            $(Route { method: stringify!($method), path: $path, access: Access::$access }),+
        ];

        /// Each with the function that answers it.
        pub(super) fn routed() -> Router<Arc<Service>> {
            Router::new()$(.route($path, $method($handler)))+
        }
    };
}

routes! {
    get "/healthz" Open => health::alive,
    get "/readyz" Open => health::ready,
    get "/metrics" Read => health::metrics,
    get "/api/v1/openapi.json" Read => openapi::document,
    post "/api/v1/price" Read => quotes::price,
    get "/api/v1/params" Read => quotes::params,
    get "/api/v1/export/{format}" Read => quotes::export,
    get "/api/v1/runs" Read => runs::list,
    get "/api/v1/runs/{id}" Read => runs::one,
    put "/api/v1/runs/{id}" Push => upload::put,
    get "/api/v1/runs/{id}/report" Read => runs::report,
    get "/api/v1/fleet" Read => runs::fleet,
    get "/" Read => pages::overview,
    get "/fleet" Read => pages::fleet,
    get "/trends" Read => pages::trends,
    get "/runs" Read => pages::runs,
    get "/runs/{id}" Read => pages::run,
    get "/runs/{id}/report" Read => pages::report,
    get "/price" Read => pages::price,
    post "/price" Read => pages::bill,
}

/// The route of a request.
pub(super) fn find(method: &Method, path: &str) -> Option<&'static Route> {
    let method = if method == Method::HEAD { "get" } else { &method.as_str().to_ascii_lowercase() };
    ROUTES.iter().find(|route| route.path == path && route.method == method)
}
