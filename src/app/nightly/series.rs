//! Whether a night can be held against those before it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::history::{History, HistoryError, Outcome, Record, Selection};
use crate::measure::{RunFile, RunFolder};

/// Runs among which the one before is looked for.
const LOOKED_AT: u32 = 100;

/// What a record has from its run's table.
const OF_TABLES: [&str; 2] = ["reset strategy", "reference machine"];

/// What makes this run one of another series than the run before it on this machine, so that nothing is held against it.
///
/// Where this machine class has no run yet, the newest one whose folder is here tells: a new kernel makes another class of the same
/// machine.
pub(super) fn other_than_before(
    history: &History,
    tonight: &Record,
    out: &Path,
) -> Result<Option<String>, HistoryError> {
    // One that was cut off does not say what was to be priced.
    let newest = |machine: Option<&String>| {
        let selection = Selection { machine: machine.cloned(), last: Some(LOOKED_AT), ..Selection::default() };
        let ended = |records: Vec<Record>| records.into_iter().rfind(|record| record.outcome != Outcome::Unfinished);
        history.records(&selection).map(ended)
    };
    let before = match newest(Some(&tonight.machine))? {
        Some(before) => Some(before),
        None => newest(None)?.filter(|before| out.join(&before.run).is_dir()),
    };
    let Some(before) = before else { return Ok(None) };
    // A rejected run has no table, and with it neither the reference nor the strategy in full.
    let has_tables = [&before, tonight].iter().all(|record| record.outcome == Outcome::Measured);
    let facts = [
        ("machine class", &before.machine, &tonight.machine),
        ("reset strategy", &before.strategy, &tonight.strategy),
        ("statistic", &before.statistic, &tonight.statistic),
        ("reference machine", &before.reference, &tonight.reference),
        ("contract set", &before.contract_set, &tonight.contract_set),
    ];
    let differ: Vec<String> = facts
        .into_iter()
        .filter(|(name, before, tonight)| before != tonight && (has_tables || !OF_TABLES.contains(name)))
        .map(|(name, before, tonight)| format!("its {name} is {tonight} after {before}"))
        .collect();
    if differ.is_empty() {
        return Ok(None);
    }
    let read = |run: &str| RunFolder::at(out.join(run)).read().ok();
    let contracts = match (read(&before.run), read(&tonight.run)) {
        (Some(before), Some(tonight)) if before.contract_set != tonight.contract_set => of_contracts(&before, &tonight),
        _ => String::new(),
    };
    Ok(Some(format!(
        "Run {} cannot be held against run {} and begins a series of its own: {}{contracts}.",
        tonight.run,
        before.run,
        differ.join(", ")
    )))
}

/// What differs between two contract sets.
fn of_contracts(before: &RunFile, tonight: &RunFile) -> String {
    let modules = |run: &RunFile| -> BTreeMap<String, Vec<String>> {
        let mut modules: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for artifact in &run.artifacts {
            modules
                .entry(artifact.contract.clone())
                .or_default()
                .push(format!("{} {}", artifact.variant, artifact.sha256));
        }
        modules
    };
    let (old, new) = (modules(before), modules(tonight));
    let names = |all: Vec<&String>| all.into_iter().cloned().collect::<Vec<_>>().join(", ");
    let gone = names(old.keys().filter(|name| !new.contains_key(*name)).collect());
    let added = names(new.keys().filter(|name| !old.contains_key(*name)).collect());
    let changed = names(new.keys().filter(|name| old.get(*name).is_some_and(|of| of != &new[*name])).collect());
    let compiler = |run: &RunFile| run.rustc.clone().unwrap_or_else(|| "none".into());
    let rustc = if before.rustc == tonight.rustc {
        String::new()
    } else {
        format!("{} after {}", compiler(tonight), compiler(before))
    };
    let parts = [
        ("missing", gone),
        ("new", added),
        ("changed", changed),
        ("compiler", rustc),
        ("left out", tonight.skipped.join("; ")),
    ];
    let said = |(name, what): (_, String)| (!what.is_empty()).then(|| format!("; {name}: {what}"));
    parts.into_iter().filter_map(said).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Access, read_records};

    fn record(run: &str, machine: &str, contract_set: &str) -> Record {
        let text = serde_json::json!({
            "format": 2, "run": run, "sequence": 1, "night": run, "role": "first", "outcome": "measured",
            "created": "2026-01-01T00:00:00Z", "machine": machine, "cpu": "a processor", "strategy": "fresh-map",
            "statistic": "median", "reference": "r", "contract_set": contract_set, "wasmtime": "48.0.8", "estimator": "0.1.0",
            "budget_seconds": 1,
        });
        read_records(&text.to_string(), Path::new("test")).unwrap().remove(0)
    }

    #[test]
    fn a_night_with_other_contracts_or_on_another_kernel_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = History::open(&folder.path().join("h.sqlite"), Access::Write).unwrap();
        let told = |history: &History, tonight: &Record| other_than_before(history, tonight, folder.path()).unwrap();
        assert_eq!(told(&history, &record("r1", "m", "c")), None, "the first night of all");
        history.append(&[record("r1", "m", "c")], true).unwrap();
        assert_eq!(told(&history, &record("r2", "m", "c")), None);
        let text = told(&history, &record("r2", "m", "d")).unwrap();
        assert!(text.contains("its contract set is d after c") && text.contains("run r1"), "{text}");
        assert_eq!(told(&history, &record("r2", "other", "c")), None, "another machine of a shared history");
        std::fs::create_dir(folder.path().join("r1")).unwrap();
        let text = told(&history, &record("r2", "other", "c")).unwrap();
        assert!(text.contains("its machine class is other after m"), "{text}");
    }
}
