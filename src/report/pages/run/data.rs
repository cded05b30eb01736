use serde_json::{Value, json};

use super::verdict::verdict;
use crate::experiment::Factor;
use crate::model::{Model, PointFit};
use crate::report::words::or_empty;
use crate::report::{Story, notes};
use crate::units::Exact;

/// The whole report as JSON: run, proposal, verdict and fit.
#[must_use]
pub fn json(story: &Story<'_>) -> Value {
    let run = story.run;
    let table = story.table.map(|table| &table.params);
    json!({
        "format": 2,
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

/// Every point of every strategy, unrounded, run after run, under the names of the columns: where it was measured, its factors,
/// counts, cost on the reference machine and as measured, ratio to the probe, phases, charge and fit. Times are in nanoseconds; what does not apply is empty. Charge and fit
/// are of the chain's strategy alone. Runs of several experiments have the factors and phases of all.
#[must_use]
pub fn rows(stories: &[Story<'_>]) -> Vec<Vec<String>> {
    let mut factors: Vec<&Factor> = Vec::new();
    let mut phases: Vec<&str> = Vec::new();
    for experiment in stories.iter().map(|story| story.fit.experiment) {
        for &factor in experiment.factors {
            if !factors.contains(&factor) {
                factors.push(factor);
            }
        }
        for phase in experiment.phases {
            if !phases.contains(&phase.name) {
                phases.push(phase.name);
            }
        }
    }
    let texts = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let mut columns = texts(&["run", "contract", "variant", "strategy"]);
    columns.extend(factors.iter().map(|factor| factor.name.to_owned()));
    columns.extend(texts(&[
        "processes",
        "cycles",
        "outliers",
        "cost_ns",
        "cost_low_ns",
        "cost_high_ns",
        "measured_ns",
    ]));
    columns.extend(texts(&["ratio", "ratio_low", "ratio_high"]));
    columns.extend(phases.iter().map(|name| format!("{name}_ns")));
    columns.extend(texts(&["charge_ns", "fit_ns"]));
    let mut rows = vec![columns];
    for story in stories {
        for fit in &story.fit.strategies {
            let model = story.model().filter(|_| fit.strategy == story.chain.strategy);
            rows.extend(fit.points.iter().map(|found| row(story, found, model, &factors, &phases)));
        }
    }
    rows
}

fn row(
    story: &Story<'_>,
    found: &PointFit,
    model: Option<&Model>,
    factors: &[&Factor],
    phases: &[&str],
) -> Vec<String> {
    let (point, cost) = (&found.point, found.cost);
    let names = [&story.run.run, &point.contract, &point.variant, &point.strategy];
    let mut row: Vec<String> = names.into_iter().cloned().collect();
    row.extend(factors.iter().map(|factor| factor.text(point.level(factor))));
    row.extend([found.processes, found.cycles, found.outliers].map(|count| count.to_string()));
    let number = |number: f64| number.to_string();
    row.extend([cost.value, cost.low, cost.high, found.measured.value].map(number));
    let ratio = found.ratio.map(|ratio| [ratio.value, ratio.low, ratio.high].map(number));
    row.extend(ratio.unwrap_or_default());
    let phase = |name: &&str| found.phases.iter().find(|found| found.phase == **name);
    row.extend(phases.iter().map(|name| or_empty(phase(name).map(|found| found.median.0))));
    row.push(or_empty(model.map(|model| model.covering.charge(point))));
    let fitted = model.filter(|_| point.grown_pages().0 == 0);
    row.push(or_empty(fitted.map(|model| model.relative.predict(point))));
    row
}
