//! What people hear of a change: what changed which way, gas before and now, and where the report is.

use std::collections::BTreeMap;

use super::events::{event, report_of};
use super::request::NightRequest;
use crate::history::{Event, EventKind, Finding, FindingKind, GasChange, Record};
use crate::params::ParamTable;

/// The event of findings that a run confirms, beside the table in force and the run before.
pub(super) fn changed(
    run: &Record,
    findings: Vec<Finding>,
    (table, before): (Option<&ParamTable>, Option<&Record>),
    request: &NightRequest,
) -> Event {
    let gas = gas(run, &findings, table, before);
    let mut lines = vec![format!("{}.", headline(&findings))];
    lines.extend(findings.iter().map(|finding| format!("{}.", finding.sentence())));
    let whose = if table.is_some() { "in the table in force" } else { "by the run before" };
    lines.extend(gas.iter().map(|(param, GasChange { old, new })| match old {
        Some(old) => format!("Gas of {param}: {old} {whose}, {new} by this run."),
        None => format!("Gas of {param}: none {whose}, {new} by this run."),
    }));
    let report = report_of(request, run);
    lines.push(format!("Report: {}", report.display()));
    lines.push(format!("Machine: {}, class {}", run.cpu, run.machine));
    let told = event(EventKind::Changed, &format!("changed/{}", run.run), lines.join("\n"), request, Some(run));
    Event { report: Some(report), gas, findings, ..told }
}

/// Whether costs changed, or the table was off before they did.
fn headline(findings: &[Finding]) -> &'static str {
    let is_off = |finding: &Finding| finding.kind == FindingKind::Table;
    match (findings.iter().any(is_off), findings.iter().all(is_off)) {
        (true, true) => "the table in force is off, and no new step in costs was found",
        (true, false) => "memory costs changed, and the table in force is off",
        (false, _) => "memory costs changed",
    }
}

/// Gas of each parameter that is found to have changed, where the run proposes any.
fn gas(
    run: &Record,
    findings: &[Finding],
    table: Option<&ParamTable>,
    before: Option<&Record>,
) -> BTreeMap<String, GasChange> {
    let old = |param: &str| match table {
        Some(table) => table.params.get(param).map(|param| param.gas),
        None => before.and_then(|before| before.gas.get(param).copied()),
    };
    let params = findings.iter().map(|finding| finding.figure.param.as_str());
    let change = |param: &str| Some((param.to_owned(), GasChange { old: old(param), new: *run.gas.get(param)? }));
    params.filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::plan_request::PlanRequest;
    use crate::history::{Figure, LineKind, State, read_records};
    use crate::model::{Estimate, Form};
    use crate::params::INIT_BASE;

    fn record(gas: u64) -> Record {
        let text = serde_json::json!({
            "format": 2, "run": "r1", "sequence": 1, "night": "r1", "role": "first", "outcome": "measured",
            "created": "2026-01-01T00:00:00Z", "machine": "m", "cpu": "a processor", "node": "node-7",
            "strategy": "fresh-map", "statistic": "median", "reference": "r", "contract_set": "c", "wasmtime": "48.0.8",
            "estimator": "0.1.0", "budget_seconds": 1, "gas": { INIT_BASE: gas },
        });
        read_records(&text.to_string(), std::path::Path::new("test")).unwrap().remove(0)
    }

    fn finding(kind: FindingKind) -> Finding {
        Finding {
            kind,
            figure: Figure::new(INIT_BASE, LineKind::Cost, Form::Reference),
            ratio: Estimate { value: 1.1, low: 1.05, high: 1.15 },
            p_value: 1e-6,
            since: "r1".into(),
            state: State::Changed,
            key: "k".into(),
            along: Vec::new(),
        }
    }

    #[test]
    fn a_change_names_node_direction_gas_and_report() {
        let plan = PlanRequest { out: "/var/runs".into(), ..PlanRequest::default() };
        let request = NightRequest { plan, ..NightRequest::default() };
        let table = ParamTable::parse(include_str!("../../../params/current.toml"), "t".as_ref()).unwrap();
        let told = changed(&record(5_000), vec![finding(FindingKind::Table)], (Some(&table), None), &request);
        assert_eq!(
            told.gas[INIT_BASE],
            GasChange { old: Some(table.params[INIT_BASE].gas), new: crate::units::Gas(5000) }
        );
        for said in [
            "node-7: the table in force is off, and no new step in costs was found.",
            "costs 10.0 % more (5.0 % … 15.0 %) than the table in force charges for",
            "in the table in force, 5_000 by this run",
            "Report: /var/runs/r1/report.html",
            "Machine: a processor, class m",
        ] {
            assert!(told.text.contains(said), "{said}: {}", told.text);
        }
        let told = changed(&record(5_000), vec![finding(FindingKind::Step)], (None, Some(&record(4_000))), &request);
        assert!(told.text.starts_with("node-7: memory costs changed.\n"), "{}", told.text);
        assert!(told.text.contains("4_000 by the run before, 5_000 by this run"), "{}", told.text);
    }
}
