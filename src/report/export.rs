//! The same for machines: a row for each point, and everything at once.

use csv::WriterBuilder;
use serde_json::{Value, json};

use super::{ReportError, Story};
use crate::units::Exact;

/// The columns of [`points_csv`]. Times are in nanoseconds; what does not apply is empty.
pub const POINT_COLUMNS: [&str; 26] = [
    "run",
    "contract",
    "variant",
    "strategy",
    "initial_pages",
    "stack_bytes",
    "touched_pages",
    "data_bytes",
    "previous",
    "write_width",
    "threads",
    "processes",
    "cycles",
    "outliers",
    "cost_ns",
    "cost_low_ns",
    "cost_high_ns",
    "ratio",
    "ratio_low",
    "ratio_high",
    "instantiate_ns",
    "first_touch_ns",
    "warm_touch_ns",
    "reset_ns",
    "charge_ns",
    "fit_ns",
];

/// Every point of every strategy as CSV, unrounded, under [`POINT_COLUMNS`], run after run. Charge and fit are of the
/// chain's strategy alone.
///
/// # Errors
/// The rows cannot be written to memory.
pub fn points_csv(stories: &[Story<'_>]) -> Result<String, ReportError> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(POINT_COLUMNS)?;
    for story in stories {
        for row in rows(story) {
            writer.write_record(&row)?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn rows(story: &Story<'_>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for fit in &story.fit.strategies {
        let model = story.model().filter(|_| fit.strategy == story.chain.strategy);
        for found in &fit.points {
            let (point, cost, phases) = (&found.point, found.cost, found.phases);
            let mut row = vec![
                story.run.run.clone(),
                point.contract.clone(),
                point.variant.clone(),
                point.strategy.clone(),
                point.initial_pages.0.to_string(),
                point.stack_bytes.0.to_string(),
                point.touched_pages.0.to_string(),
                point.data_bytes.0.to_string(),
                point.conditions.previous.to_string(),
                point.conditions.write_width.to_string(),
                point.conditions.threads.to_string(),
                found.processes.to_string(),
                found.cycles.to_string(),
                found.outliers.to_string(),
            ];
            let number = |number: f64| number.to_string();
            row.extend([cost.value, cost.low, cost.high].map(number));
            let ratio = found.ratio.map(|ratio| [ratio.value, ratio.low, ratio.high].map(number));
            row.extend(ratio.unwrap_or_default());
            row.extend(
                [phases.instantiate, phases.first_touch, phases.warm_touch, phases.reset].map(|time| number(time.0)),
            );
            row.push(model.map(|model| number(model.covering.charge(point))).unwrap_or_default());
            let fitted = model.filter(|_| point.grown_pages().0 == 0);
            row.push(fitted.map(|model| number(model.relative.predict(point))).unwrap_or_default());
            rows.push(row);
        }
    }
    rows
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
