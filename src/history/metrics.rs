//! The fee and the machines as metrics, as they are when somebody asks.

use std::fmt;
use std::sync::atomic::AtomicU64;

use jiff::Timestamp;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};
use serde::Serialize;

use super::figure::LineKind;
use super::fleet::Fleet;
use super::record::Record;
use crate::params::ParamTable;
use crate::units::Gas;

/// Names with values.
type Labels<const N: usize> = [(&'static str, String); N];

type Gauges<const N: usize> = Family<Labels<N>, Gauge<f64, AtomicU64>>;

/// What is known of a fleet, for Prometheus.
pub struct FleetMetrics<'a> {
    /// The table in force, if there is one.
    pub table: Option<&'a ParamTable>,
    /// The last run of each node.
    pub last: &'a [Record],
    /// The machines side by side.
    pub fleet: &'a Fleet,
    /// How long probes took there, over what they take on the reference machine, by machine class.
    pub probes: &'a [(String, f64)],
    /// How many runs are recorded.
    pub runs: u64,
}

impl FleetMetrics<'_> {
    /// All of it as text, in the format that `OpenMetrics` and Prometheus share.
    ///
    /// # Errors
    /// A value cannot be written, which no value here is.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry())?;
        Ok(text)
    }

    /// All of it.
    pub(crate) fn registry(&self) -> Registry {
        let mut registry = Registry::with_prefix("estimator");
        let fee = Gauges::default();
        for (name, param) in self.table.iter().flat_map(|table| &table.params) {
            set(&fee, &[("param", name.clone())], gas(param.gas));
        }
        registry.register("fee_gas", "Gas in force, by parameter", fee);
        let envelope = Gauges::default();
        for (name, dearest) in &self.fleet.envelope {
            set(&envelope, &[("param", name.clone()), ("machine", dearest.machine.clone())], gas(dearest.gas));
        }
        registry.register("envelope_gas", "Gas that covers all machines, and which one decides it", envelope);
        self.machines(&mut registry);
        self.nights(&mut registry);
        registry
    }

    /// What each machine costs and proposes, by its last run that may be used.
    fn machines(&self, registry: &mut Registry) {
        let (proposed, costs) = (Gauges::default(), Gauges::default());
        for record in &self.fleet.machines {
            for (name, amount) in &record.gas {
                set(&proposed, &[("machine", record.machine.clone()), ("param", name.clone())], gas(*amount));
            }
            for recorded in record.estimates.iter().filter(|recorded| recorded.figure.line == LineKind::Cost) {
                let figure = &recorded.figure;
                let labels =
                    [("machine", record.machine.clone()), ("param", figure.param.clone()), ("form", word(figure.form))];
                set(&costs, &labels, recorded.estimate.value / 1e9);
            }
        }
        let probes = Gauges::default();
        for (machine, ratio) in self.probes {
            set(&probes, &[("machine", machine.clone())], *ratio);
        }
        let help = "How many times as long the reference probe took in the last sound run as on the reference machine";
        registry.register("machine_probe_ratio", help, probes);
        registry.register("machine_gas", "Gas that the last sound run proposes, by machine", proposed);
        let help = "What memory costs by the line of least error, as measured and on the reference machine";
        registry.register_with_unit("machine_cost", help, Unit::Seconds, costs);
    }

    /// When each node was measured last, and what came of it. Nodes of one class share its costs, but one that falls silent does not
    /// show in what its sisters send.
    fn nights(&self, registry: &mut Registry) {
        let (when, outcomes, verdicts) = (Gauges::default(), Gauges::default(), Gauges::default());
        for record in self.last {
            let who = || [("machine", record.machine.clone()), ("node", record.node.clone())];
            if let Ok(created) = record.created.parse::<Timestamp>() {
                set(&when, &who(), created.as_duration().as_secs_f64());
            }
            let [machine, node] = who();
            set(&outcomes, &[machine, node, ("outcome", word(record.outcome))], 1.0);
            if let Some(judgement) = &record.judgement {
                let [machine, node] = who();
                set(&verdicts, &[machine, node, ("verdict", judgement.verdict.to_string())], 1.0);
            }
        }
        let help = "When the last run of a node was planned, since 1970";
        registry.register_with_unit("machine_last_run_timestamp", help, Unit::Seconds, when);
        registry.register("machine_outcome", "What came of the last run of a node", outcomes);
        registry.register("machine_verdict", "The gate's word on the last night of a node", verdicts);
        let runs = Gauges::default();
        set(&runs, &[], float(self.runs));
        registry.register("recorded_runs", "Runs in the history", runs);
    }
}

fn set<const N: usize>(gauges: &Gauges<N>, labels: &Labels<N>, value: f64) {
    gauges.get_or_create(labels).set(value);
}

fn gas(amount: Gas) -> f64 {
    float(amount.0)
}

#[expect(clippy::cast_precision_loss, reason = "metrics are floating-point numbers")]
fn float(number: u64) -> f64 {
    number as f64
}

/// A value of an enumeration by the name that it has in JSON.
fn word(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::history::{Access, History};

    #[test]
    fn a_scraper_reads_the_fee_the_envelope_and_each_machine() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = History::open(&folder.path().join("h.sqlite"), Access::Write).unwrap();
        let record = |number: u64, machine: &str, node: &str, gas: u64| {
            let record = json!({
                "format": 2, "run": format!("run{number}"), "sequence": number, "night": "n", "role": "first",
                "outcome": "measured", "created": "2026-01-01T00:00:10Z", "machine": machine, "cpu": "c", "node": node, "strategy": "s",
                "statistic": "median", "reference": "", "contract_set": "c", "wasmtime": "1", "estimator": "1",
                "budget_seconds": 1, "gas": { "memory_init_base": gas },
                "estimates": [
                    { "param": "memory_init_base", "line": "cost", "form": "reference", "value": 2e3, "low": 1e3, "high": 3e3 },
                    { "param": "memory_init_base", "line": "charge", "form": "measured", "value": 1.0, "low": 1.0, "high": 1.0 },
                ],
                "judgement": { "verdict": "changed", "findings": [] },
            });
            serde_json::from_value::<Record>(record).unwrap()
        };
        let runs =
            [record(1, "a", "", 10), record(2, "b", "n1", 20), record(3, "b", "n2", 20), record(4, "b", "n1", 20)];
        history.append(&runs, true).unwrap();
        let (last, fleet) = (history.latest_of_nodes().unwrap(), Fleet::of(&history).unwrap());
        let probes = [("b".into(), 1.5)];
        let text = FleetMetrics { table: None, last: &last, fleet: &fleet, probes: &probes, runs: 4 }.text().unwrap();
        for line in [
            "estimator_envelope_gas{param=\"memory_init_base\",machine=\"b\"} 20.0",
            "estimator_machine_gas{machine=\"a\",param=\"memory_init_base\"} 10.0",
            "estimator_machine_cost_seconds{machine=\"a\",param=\"memory_init_base\",form=\"reference\"} 0.000002",
            "estimator_machine_last_run_timestamp_seconds{machine=\"b\",node=\"n1\"} 1767225610.0",
            "estimator_machine_last_run_timestamp_seconds{machine=\"b\",node=\"n2\"} 1767225610.0",
            "estimator_machine_verdict{machine=\"a\",node=\"\",verdict=\"changed\"} 1.0",
            "estimator_machine_probe_ratio{machine=\"b\"} 1.5",
            "estimator_recorded_runs 4.0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        assert_eq!(text.matches("estimator_machine_cost_seconds{").count(), 2);
        assert_eq!(text.matches("estimator_machine_last_run_timestamp_seconds{").count(), 3);
    }
}
