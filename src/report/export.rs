//! The same for machines: a row for each point, and everything at once.

use csv::WriterBuilder;
use serde_json::{Value, json};

use super::{ReportError, Story};
use crate::experiment::{Experiment, Factor};
use crate::model::{Model, PointFit};
use crate::units::Exact;

/// Every point of every strategy as CSV, unrounded, run after run: where it was measured, its factors, counts, cost, ratio to the
/// probe, phases, charge and fit. Times are in nanoseconds; what does not apply is empty. Charge and fit are of the chain's
/// strategy alone. Runs of several experiments have the factors and phases of all.
///
/// # Errors
/// The rows cannot be written to memory.
pub fn points_csv(stories: &[Story<'_>]) -> Result<String, ReportError> {
    let mut experiments: Vec<&Experiment> = stories.iter().map(|story| story.fit.experiment).collect();
    experiments.dedup();
    let mut factors: Vec<&Factor> = Vec::new();
    let mut phases: Vec<&str> = Vec::new();
    for experiment in experiments {
        factors
            .extend(experiment.factors.iter().filter(|factor| !factors.contains(factor)).copied().collect::<Vec<_>>());
        phases.extend(
            experiment.phases.iter().map(|phase| phase.name).filter(|name| !phases.contains(name)).collect::<Vec<_>>(),
        );
    }
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let texts = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let mut header = texts(&["run", "contract", "variant", "strategy"]);
    header.extend(factors.iter().map(|factor| factor.name.to_owned()));
    header.extend(texts(&["processes", "cycles", "outliers", "cost_ns", "cost_low_ns", "cost_high_ns"]));
    header.extend(texts(&["ratio", "ratio_low", "ratio_high"]));
    header.extend(phases.iter().map(|name| format!("{name}_ns")));
    header.extend(texts(&["charge_ns", "fit_ns"]));
    writer.write_record(header)?;
    for story in stories {
        for fit in &story.fit.strategies {
            let model = story.model().filter(|_| fit.strategy == story.chain.strategy);
            for found in &fit.points {
                writer.write_record(row(story, found, model, &factors, &phases))?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
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
    row.extend([cost.value, cost.low, cost.high].map(number));
    let ratio = found.ratio.map(|ratio| [ratio.value, ratio.low, ratio.high].map(number));
    row.extend(ratio.unwrap_or_default());
    let phase = |name: &&str| found.phases.iter().find(|found| found.phase == **name);
    row.extend(phases.iter().map(|name| phase(name).map(|found| number(found.median.0)).unwrap_or_default()));
    row.push(model.map(|model| number(model.covering.charge(point))).unwrap_or_default());
    let fitted = model.filter(|_| point.grown_pages().0 == 0);
    row.push(fitted.map(|model| number(model.relative.predict(point))).unwrap_or_default());
    row
}

/// The whole report as JSON: run, proposal, verdict and fit.
#[must_use]
pub fn report_json(story: &Story<'_>) -> Value {
    let run = story.run;
    let table = story.table.map(|table| {
        let param = |(name, param): (&String, &crate::params::Param)| {
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
        "verdict": story.verdict(),
        "notes": super::notes(story),
        "fit": story.fit,
    })
}
