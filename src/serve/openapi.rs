//! What the service says of itself.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

use super::problem::Problem;
use super::query::{Asked, Nothing, asked};

/// The document (`OpenAPI` 3.1).
const DOCUMENT: &str = include_str!("openapi.json");

/// `GET /api/v1/openapi.json`.
pub(super) async fn document(query: Asked<Nothing>) -> Result<Response, Problem> {
    asked(query)?;
    Ok(([(CONTENT_TYPE, "application/json")], DOCUMENT).into_response())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::super::doors::Access;
    use super::super::routes::ROUTES;
    use super::*;
    use crate::params::EXPORTERS;

    fn parsed() -> Value {
        serde_json::from_str(DOCUMENT).unwrap()
    }

    /// Routes for programs; those for people are pages.
    fn operations(document: &Value) -> BTreeSet<(String, String)> {
        let paths = document["paths"].as_object().unwrap();
        let methods = |(path, item): (&String, &Value)| {
            let methods: Vec<_> =
                item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone())).collect();
            methods
        };
        paths.iter().flat_map(methods).collect()
    }

    #[test]
    fn the_document_lists_the_routes_and_no_others() {
        let is_page = |path: &str| !path.starts_with("/api/") && !["/healthz", "/readyz", "/metrics"].contains(&path);
        let routes = ROUTES.iter().filter(|route| !is_page(route.path));
        let routes = routes.map(|route| (route.method.to_owned(), route.path.to_owned())).collect();
        assert_eq!(operations(&parsed()), routes);
    }

    #[test]
    fn each_route_says_whether_it_takes_a_token_and_what_it_answers_without() {
        let document = parsed();
        for route in
            ROUTES.iter().filter(|route| operations(&document).contains(&(route.method.into(), route.path.into())))
        {
            let operation = &document["paths"][route.path][route.method];
            let security = operation["security"].as_array().map(Vec::len);
            let wanted = match route.access {
                Access::Open => Some(0),
                Access::Read => None,
                Access::Push => Some(1),
            };
            assert_eq!(security, wanted, "{}", route.path);
            let answers_401 = operation["responses"]["401"].is_object();
            assert_eq!(answers_401, route.access != Access::Open, "{}", route.path);
        }
    }

    #[test]
    fn every_format_of_an_export_is_listed() {
        let document = parsed();
        let listed = &document["paths"]["/api/v1/export/{format}"]["get"]["parameters"][0]["schema"]["enum"];
        assert_eq!(*listed, serde_json::json!(EXPORTERS.map(|exporter| exporter.name)));
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn walk(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(map) => {
                    found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                    map.values().for_each(|value| walk(value, found));
                }
                Value::Array(list) => list.iter().for_each(|value| walk(value, found)),
                _ => {}
            }
        }
        let (document, mut found) = (parsed(), Vec::new());
        walk(&document, &mut found);
        assert!(!found.is_empty());
        for reference in found {
            assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
        }
    }
}
