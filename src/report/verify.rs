use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::{Value, json};

use super::grid::{LINE, wrapped};
use crate::model::{ChargeVerdict, Charged, ChargedPoint, Estimate};
use crate::params::Objection;
use crate::text::shown;
use crate::units::{Exact, Nanos};

/// A contract that could not be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unmeasured {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Real contracts held against their charges.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// What was measured; `None` if nothing could be.
    pub charged: Option<Charged>,
    /// The contracts that could not be measured.
    pub unmeasured: Vec<Unmeasured>,
    /// What the table multiplies times by.
    pub safety_factor: f64,
    /// The reset strategy, that of the table.
    pub strategy: &'static str,
    /// Seed of the shuffles and resamples.
    pub seed: u64,
    /// What speaks against the table.
    pub objections: Vec<Objection>,
    /// Worker processes.
    pub processes: u32,
}

impl Verification {
    fn points(&self) -> &[ChargedPoint] {
        self.charged.as_ref().map_or(&[], |charged| &charged.points)
    }

    fn count(&self, verdict: ChargeVerdict) -> usize {
        self.points().iter().filter(|point| point.verdict == verdict).count()
    }
}

/// The contracts for a terminal, from the one that uses most of its charge to the one that uses least.
#[must_use]
pub fn verify_terminal(found: &Verification) -> String {
    let bold = Style::new().bold();
    let alarm = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
    let mut text = String::new();
    let mut points: Vec<&ChargedPoint> = found.points().iter().collect();
    points.sort_by(|a, b| b.used.value.total_cmp(&a.used.value));
    // Writing to a `String` cannot fail.
    if !points.is_empty() {
        let line = columns(["pages", "make", "touch", "reset", "cost", "charge", "used", "95 % interval"]);
        let _ = writeln!(text, "{bold}{line}           contract{bold:#}");
    }
    for point in points {
        let phase = |name| point.fit.phase(name);
        let touch = Nanos(phase("first_touch").0 - phase("warm_touch").0);
        let interval = format!("{} … {}", percent(point.used.low), percent(point.used.high));
        let line = columns([
            &point.fit.point.initial_pages().0.to_string(),
            &phase("instantiate").to_string(),
            &touch.to_string(),
            &phase("reset").to_string(),
            &Nanos(point.fit.cost.value).to_string(),
            &Nanos(point.charge).to_string(),
            &percent(point.used.value),
            &interval,
        ]);
        let name = shown(&point.fit.point.contract);
        let _ = match point.verdict {
            ChargeVerdict::Over => writeln!(text, "{line}  {alarm}OVER{alarm:#}     {name}"),
            ChargeVerdict::Unsure => writeln!(text, "{line}  unsure   {name}"),
            ChargeVerdict::Covered => writeln!(text, "{line}  covered  {name}"),
        };
    }
    if !found.unmeasured.is_empty() {
        let _ = writeln!(text, "\n{bold}Not measured{bold:#}");
    }
    for contract in &found.unmeasured {
        let _ = writeln!(text, "  {}: {}", shown(&contract.name), shown(&contract.reason));
    }
    text.push('\n');
    for sentence in sentences(found) {
        for line in wrapped(&sentence, LINE - 2) {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

fn columns(cells: [&str; 8]) -> String {
    let [pages, make, touch, reset, cost, charge, used, interval] = cells;
    format!("  {pages:>5}  {make:>7}  {touch:>7}  {reset:>7}  {cost:>7}  {charge:>7}  {used:>5}  {interval:>13}")
}

fn sentences(found: &Verification) -> Vec<String> {
    let Some(charged) = &found.charged else {
        return vec!["No contract could be measured.".into()];
    };
    let most = charged.points.iter().max_by(|a, b| a.used.value.total_cmp(&b.used.value));
    let mut said = vec![format!(
        "{} contracts under {}, every host page touched, {} processes, seed {}: {} over their charge, {} unsure, {} covered; {} \
         could not be measured.",
        charged.points.len(),
        found.strategy,
        found.processes,
        found.seed,
        found.count(ChargeVerdict::Over),
        found.count(ChargeVerdict::Unsure),
        found.count(ChargeVerdict::Covered),
        found.unmeasured.len(),
    )];
    if let Some(most) = most {
        said.push(format!(
            "The charge is that before the safety factor of {}: with it, the dearest contract uses {} of what it pays.",
            found.safety_factor,
            percent(most.used.value / found.safety_factor),
        ));
    }
    let slope = |slope: &Estimate| format!("{:.3} (95 %: {:.3} … {:.3})", slope.value, slope.low, slope.high);
    said.push(format!("Slope of measured on predicted: {}.", slope(&charged.slope)));
    if let Some(normalised) = &charged.normalised {
        said.push(format!(
            "In normalised form, which the speed of the machine as a whole does not move: {}.",
            slope(normalised)
        ));
    }
    said
}

/// A row for each contract, also those that could not be measured. Times are in nanoseconds; `used` is a share of the charge
/// before the safety factor.
#[derive(Debug, Default, Serialize)]
struct Row<'a> {
    file: &'a str,
    pages: Option<u32>,
    instantiate_ns: Option<f64>,
    first_touch_ns: Option<f64>,
    warm_touch_ns: Option<f64>,
    reset_ns: Option<f64>,
    cost_ns: Option<f64>,
    cost_low_ns: Option<f64>,
    cost_high_ns: Option<f64>,
    charge_ns: Option<f64>,
    used: Option<f64>,
    used_low: Option<f64>,
    used_high: Option<f64>,
    used_with_safety: Option<f64>,
    verdict: Option<ChargeVerdict>,
    cycles: Option<usize>,
    reason: Option<&'a str>,
}

fn rows(found: &Verification) -> impl Iterator<Item = Row<'_>> {
    let measured = found.points().iter().map(|point| Row {
        file: &point.fit.point.contract,
        pages: Some(point.fit.point.initial_pages().0),
        instantiate_ns: Some(point.fit.phase("instantiate").0),
        first_touch_ns: Some(point.fit.phase("first_touch").0),
        warm_touch_ns: Some(point.fit.phase("warm_touch").0),
        reset_ns: Some(point.fit.phase("reset").0),
        cost_ns: Some(point.fit.cost.value),
        cost_low_ns: Some(point.fit.cost.low),
        cost_high_ns: Some(point.fit.cost.high),
        charge_ns: Some(point.charge),
        used: Some(point.used.value),
        used_low: Some(point.used.low),
        used_high: Some(point.used.high),
        used_with_safety: Some(point.used.value / found.safety_factor),
        verdict: Some(point.verdict),
        cycles: Some(point.fit.cycles),
        reason: None,
    });
    let others = found.unmeasured.iter().map(|contract| Row {
        file: &contract.name,
        reason: Some(&contract.reason),
        ..Row::default()
    });
    measured.chain(others)
}

/// The contracts as CSV.
///
/// # Errors
/// A row cannot be written, which no contract causes.
pub fn verify_csv(found: &Verification) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows(found) {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The contracts for machines.
#[must_use]
pub fn verify_json(found: &Verification) -> Value {
    json!({
        "format": 1,
        "strategy": found.strategy,
        "seed": Exact(found.seed),
        "processes": found.processes,
        "safety_factor": found.safety_factor,
        "slope": found.charged.as_ref().map(|charged| charged.slope),
        "slope_normalised": found.charged.as_ref().and_then(|charged| charged.normalised),
        "over": found.count(ChargeVerdict::Over),
        "unsure": found.count(ChargeVerdict::Unsure),
        "covered": found.count(ChargeVerdict::Covered),
        "unmeasured": found.unmeasured.len(),
        "objections": found.objections,
        "contracts": rows(found).collect::<Vec<_>>(),
    })
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
