//! A run, and two of them.

use serde_json::{Value, json};

use crate::params::Param;
use crate::report::pages::run::verdict;
use crate::report::{Pair, Story, notes};
use crate::units::Exact;

/// The whole report as JSON: run, proposal, verdict and fit.
#[must_use]
pub fn json(story: &Story<'_>) -> Value {
    let run = story.run;
    let table = story.table.map(|table| {
        let param = |(name, param): (&String, &Param)| {
            let value = json!({
                "gas": param.gas,
                "unit": param.unit,
                "nanos": param.nanos,
                "normalised": param.normalised,
                "model": param.model,
                "derivation": param.derivation,
            });
            (name.clone(), value)
        };
        table.params.iter().map(param).collect::<serde_json::Map<_, _>>()
    });
    json!({
        "format": 1,
        "run": run.run,
        "created": run.created,
        "command": run.command,
        "seed": Exact(run.plan.seed),
        "estimator": run.estimator,
        "wasmtime": run.wasmtime,
        "contract_set": run.contract_set,
        "machine": run.machine,
        "machine_class": run.machine.class(),
        "hazards": run.hazards,
        "proposal": table,
        "verdict": verdict(story),
        "notes": notes(story),
        "fit": story.fit,
    })
}

/// Both runs and the comparison.
#[must_use]
pub fn pair(pair: &Pair<'_>) -> Value {
    json!({ "format": 1, "a": json(&pair.a), "b": json(&pair.b), "comparison": pair.comparison })
}
