//! What a scraper of metrics reads of the service itself.

use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Upper ends of latencies in seconds.
const LATENCIES: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0, 60.0];

/// Names with values.
type Labels<const N: usize> = [(&'static str, String); N];

/// Counters since the start.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<Labels<3>, Counter>,
    seconds: Family<Labels<1>, Histogram, fn() -> Histogram>,
    pub(super) in_flight: Gauge,
    pub(super) connections: Gauge,
    pub(super) bodies: Gauge,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("estimator");
        let requests = Family::default();
        registry.register("http_requests", "Requests by method, route and status", requests.clone());
        let histogram: fn() -> Histogram = || Histogram::new(LATENCIES);
        let seconds = Family::new_with_constructor(histogram);
        registry.register_with_unit("http_request", "Time until the answer, by route", Unit::Seconds, seconds.clone());
        let (in_flight, connections, bodies) = (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("http_requests_in_flight", "Requests that are worked on", in_flight.clone());
        registry.register("http_connections", "Connections that are open", connections.clone());
        let help = "What bodies that are read whole hold of the memory";
        registry.register_with_unit("http_bodies", help, Unit::Bytes, bodies.clone());
        Self { registry, requests, seconds, in_flight, connections, bodies }
    }

    /// Counts a request.
    pub(super) fn count(&self, method: &str, route: &str, status: u16, seconds: f64) {
        let known = ["GET", "HEAD", "POST", "PUT"].contains(&method);
        let method = if known { method } else { "other" }.to_owned();
        let labels = [("method", method), ("route", route.to_owned()), ("status", status.to_string())];
        self.requests.get_or_create(&labels).inc();
        self.seconds.get_or_create(&[("route", route.to_owned())]).observe(seconds);
    }

    /// All as text, with those of another registry.
    pub(super) fn text(&self, other: &Registry) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)?;
        encode_registry(&mut text, other)?;
        encode_eof(&mut text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_what_they_were_and_unknown_methods_make_no_series() {
        let metrics = Metrics::new();
        metrics.count("GET", "/healthz", 200, 0.002);
        metrics.count("BREW", "unknown", 405, 0.5);
        metrics.count("STEEP", "unknown", 405, 0.5);
        let text = metrics.text(&Registry::default()).unwrap();
        for line in [
            "estimator_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"200\"} 1",
            "estimator_http_requests_total{method=\"other\",route=\"unknown\",status=\"405\"} 2",
            "estimator_http_request_seconds_bucket{le=\"0.0025\",route=\"/healthz\"} 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}
