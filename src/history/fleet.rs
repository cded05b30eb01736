//! Machine classes side by side, and what covers them all.

use std::collections::BTreeMap;

use serde::Serialize;

use super::error::HistoryError;
use super::record::Record;
use super::store::History;
use crate::units::Gas;

/// The machines of a history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fleet {
    /// The last run of each machine class that was measured to its end and may be used, the oldest first.
    pub machines: Vec<Record>,
    /// For each parameter the dearest of them: what covers them all, and the machine that decides it.
    pub envelope: BTreeMap<String, Dearest>,
}

/// The machine that decides a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dearest {
    /// What it proposes.
    pub gas: Gas,
    /// Its class.
    pub machine: String,
    /// The run.
    pub run: String,
}

impl Fleet {
    /// As the history knows it.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn of(history: &History) -> Result<Self, HistoryError> {
        Ok(Self::over(history.latest(true)?))
    }

    fn over(machines: Vec<Record>) -> Self {
        let mut envelope: BTreeMap<String, Dearest> = BTreeMap::new();
        for record in &machines {
            for (param, gas) in &record.gas {
                if envelope.get(param).is_none_or(|dearest| dearest.gas < *gas) {
                    let dearest = Dearest { gas: *gas, machine: record.machine.clone(), run: record.run.clone() };
                    envelope.insert(param.clone(), dearest);
                }
            }
        }
        Self { machines, envelope }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::history::{Access, Selection};

    fn record(number: u64, machine: &str, outcome: &str, gas: [u64; 2]) -> Record {
        let record = json!({
            "format": 2, "run": format!("run{number}"), "sequence": number, "night": "n", "role": "first", "outcome": outcome,
            "created": "2026-01-01T00:00:00Z", "machine": machine, "cpu": "c", "strategy": "s", "statistic": "median",
            "reference": "", "contract_set": "c", "wasmtime": "1", "estimator": "1", "budget_seconds": 1,
            "gas": { "base": gas[0], "page": gas[1] },
            "estimates": [{ "param": "base", "line": "cost", "form": "measured", "value": 1.0, "low": 0.5, "high": 2.0 }],
        });
        serde_json::from_value(record).unwrap()
    }

    fn history(folder: &tempfile::TempDir) -> History {
        let mut history = History::open(&folder.path().join("h.sqlite"), Access::Write).unwrap();
        let records = [
            record(1, "a", "measured", [900, 900]),
            record(2, "a", "measured", [10, 5]),
            record(3, "b", "measured", [7, 6]),
            record(4, "b", "noisy", [900, 900]),
        ];
        history.append(&records, true).unwrap();
        history
    }

    #[test]
    fn the_envelope_is_the_dearest_of_the_last_sound_runs_and_names_whose_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let fleet = Fleet::of(&history(&folder)).unwrap();
        let runs: Vec<&str> = fleet.machines.iter().map(|record| record.run.as_str()).collect();
        assert_eq!(runs, ["run2", "run3"]);
        assert!(fleet.machines.iter().all(|record| record.estimates.len() == 1));
        let decides = |param: &str| (fleet.envelope[param].gas, fleet.envelope[param].machine.as_str());
        assert_eq!((decides("base"), decides("page")), ((Gas(10), "a"), (Gas(6), "b")));
    }

    #[test]
    fn the_last_of_each_machine_and_pages_of_runs_are_what_a_whole_look_finds() {
        let folder = tempfile::tempdir().unwrap();
        let history = history(&folder);
        let runs = |records: Vec<Record>| records.into_iter().map(|record| record.run).collect::<Vec<_>>();
        assert_eq!(runs(history.latest(false).unwrap()), ["run2", "run4"]);
        let page = Selection { before: Some(4), last: Some(2), ..Selection::default() };
        assert_eq!(runs(history.records(&page).unwrap()), ["run2", "run3"]);
    }
}
