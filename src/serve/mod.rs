//! The service: fee quotes, the runs of a fleet, a dashboard and metrics over HTTP, on what [`app`](crate::app) does.
//!
//! A request passes the `guard` before its route: who may, how many at once, how long; then security headers, a line of the log and
//! the metrics. What takes processor or disk time runs on threads of its own (`blocking`).

mod answer;
mod blocking;
mod body;
mod doors;
mod form;
mod guard;
mod health;
mod in_force;
mod kept;
mod limits;
mod listen;
mod log;
mod metrics;
mod openapi;
mod pages;
mod problem;
mod query;
mod quotes;
mod router;
mod routes;
mod runs;
mod schedule;
mod settings;
mod socket;
mod state;
mod store;
mod tokens;
mod upload;
mod uploads;
mod watched;

pub use listen::serve;
pub use log::Log;
pub use schedule::{Nights, TimeOfDay};
pub use settings::ServeSettings;
