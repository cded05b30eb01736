use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use serde::Deserialize;

use super::problem::Problem;

/// For routes that take nothing after `?`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// What stands after `?`, or what is wrong with it.
pub(super) type Asked<T> = Result<Query<T>, QueryRejection>;

/// What was asked for.
pub(super) fn asked<T>(query: Asked<T>) -> Result<T, Problem> {
    query.map(|Query(asked)| asked).map_err(|refused| Problem::bad_request(refused.body_text()))
}
