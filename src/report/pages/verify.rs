//! Real contracts held against their charges.

use serde_json::{Map, Value, json};

use super::verify_factors as factors;
use crate::experiment::MEMORY;
use crate::model::{ChargeVerdict, ChargedPoint, Estimate};
use crate::report::Verification;
use crate::report::document::{Block, Column, Document, Section, Table, Text, Tone};
use crate::report::words::{nanos, share};
use crate::units::{Exact, Nanos};

/// Real contracts, from the one that uses most of its charge to the one that uses least.
#[must_use]
pub fn page(found: &Verification) -> Document {
    if *found.experiment != MEMORY {
        return factors::page(found);
    }
    let mut points: Vec<&ChargedPoint> = found.points().iter().collect();
    points.sort_by(|a, b| b.used.value.total_cmp(&a.used.value));
    let table = Table { columns: columns(), rows: points.into_iter().map(row).collect(), ..Table::default() };
    let others = found.unmeasured.iter().map(|contract| format!("{}: {}", contract.name, contract.reason));
    let others: Vec<String> = others.collect();
    let said = sentences(found).into_iter().map(|sentence| Block::Text(sentence.into())).collect();
    let sections = [
        table.block().map(|table| Section::unheaded("contracts", vec![table])),
        (!others.is_empty()).then(|| Section::new("not-measured", "Not measured", vec![Block::Lines(others)])),
        Some(Section::unheaded("totals", said)),
    ];
    Document { sections: sections.into_iter().flatten().collect(), ..Document::default() }
}

fn columns() -> Vec<Column> {
    vec![
        Column::right("pages", 5),
        Column::right("make", 7),
        Column::right("touch", 7),
        Column::right("reset", 7),
        Column::right("cost", 7),
        Column::right("charge", 7),
        Column::right("used", 5),
        Column::right("95 % interval", 13),
        Column::left("", 7),
        Column::left("contract", 0),
    ]
}

fn row(point: &ChargedPoint) -> Vec<Text> {
    let phase = |name| point.fit.phase(name);
    let cells = [
        point.fit.point.initial_pages().0.to_string(),
        phase("instantiate").to_string(),
        Nanos(phase("first_touch").0 - phase("warm_touch").0).to_string(),
        phase("reset").to_string(),
        nanos(point.fit.cost.value),
        nanos(point.charge),
        share(point.used.value),
        format!("{} … {}", share(point.used.low), share(point.used.high)),
    ];
    let verdict = match point.verdict {
        ChargeVerdict::Over => Text::toned("OVER", Tone::Alarm),
        ChargeVerdict::Unsure => "unsure".into(),
        ChargeVerdict::Covered => "covered".into(),
    };
    cells.map(Text::from).into_iter().chain([verdict, point.fit.point.contract.as_str().into()]).collect()
}

fn sentences(found: &Verification) -> Vec<String> {
    let Some(charged) = &found.charged else {
        return vec!["No contract could be measured.".into()];
    };
    let most = charged.points.iter().max_by(|a, b| a.used.value.total_cmp(&b.used.value));
    let mut said = vec![found.verdicts(charged.points.len(), "every byte written")];
    said.extend(found.longer());
    if let Some(most) = most {
        said.push(format!(
            "The charge is that before the safety factor of {}: with it, the dearest contract uses {} of what it pays.",
            found.safety_factor,
            share(most.used.value / found.safety_factor),
        ));
    }
    let slope = |slope: &Estimate| format!("{:.3} (95 %: {:.3} … {:.3})", slope.value, slope.low, slope.high);
    said.push(format!("Slope of measured on predicted: {}.", slope(&charged.slope)));
    if let Some(measured) = &charged.measured {
        said.push(format!("By time as measured, which goes with the machine and its hour: {}.", slope(measured)));
    }
    said
}

/// What is known of a contract, whether it was measured or not. Times are in nanoseconds; `used` is a share of the charge before the
/// safety factor.
fn known(
    found: &Verification,
    file: &str,
    point: Option<&ChargedPoint>,
    reason: Option<&str>,
) -> [(&'static str, Value); 19] {
    let phase = |name| json!(point.map(|point| point.fit.phase(name).0));
    let of = |value: fn(&ChargedPoint) -> f64| json!(point.map(value));
    [
        ("file", json!(file)),
        ("pages", json!(point.map(|point| point.fit.point.initial_pages()))),
        ("instantiate_ns", phase("instantiate")),
        ("first_touch_ns", phase("first_touch")),
        ("warm_touch_ns", phase("warm_touch")),
        ("reset_ns", phase("reset")),
        ("cost_ns", of(|point| point.fit.cost.value)),
        ("cost_low_ns", of(|point| point.fit.cost.low)),
        ("cost_high_ns", of(|point| point.fit.cost.high)),
        ("measured_ns", of(|point| point.fit.measured.value)),
        ("charge_ns", of(|point| point.charge)),
        ("used", of(|point| point.used.value)),
        ("used_low", of(|point| point.used.low)),
        ("used_high", of(|point| point.used.high)),
        ("used_with_safety", json!(point.map(|point| point.used.value / found.safety_factor))),
        ("verdict", json!(point.map(|point| point.verdict))),
        ("cycles", json!(point.map(|point| point.fit.cycles))),
        ("reason", json!(reason)),
        ("times_longer", json!(point.and_then(|point| point.times_longer))),
    ]
}

fn contracts(found: &Verification) -> impl Iterator<Item = Vec<(String, Value)>> {
    let of_memory = *found.experiment == MEMORY;
    let of = move |file: &str, point: Option<&ChargedPoint>, reason: Option<&str>| {
        if of_memory {
            known(found, file, point, reason).map(|(name, value)| (name.to_owned(), value)).into()
        } else {
            factors::known(found, file, point, reason)
        }
    };
    let measured = found.points().iter().map(move |point| of(&point.fit.point.contract, Some(point), None));
    let others = found.unmeasured.iter().map(move |contract| of(&contract.name, None, Some(&contract.reason)));
    measured.chain(others)
}

/// A row for each contract under the names of the columns, first those that were measured.
pub fn rows(found: &Verification) -> impl Iterator<Item = Vec<Value>> {
    let names = contracts(found).take(1).map(|contract| contract.into_iter().map(|(name, _)| name.into()).collect());
    names.chain(contracts(found).map(|contract| contract.into_iter().map(|(_, value)| value).collect()))
}

/// The contracts for machines.
#[must_use]
pub fn json(found: &Verification) -> Value {
    let mut json = json!({
        "format": 2,
        "strategy": found.strategy,
        "seed": Exact(found.seed),
        "processes": found.processes,
        "safety_factor": found.safety_factor,
        "slope": found.charged.as_ref().map(|charged| charged.slope),
        "slope_measured": found.charged.as_ref().and_then(|charged| charged.measured),
        "over": found.count(ChargeVerdict::Over),
        "unsure": found.count(ChargeVerdict::Unsure),
        "covered": found.count(ChargeVerdict::Covered),
        "unmeasured": found.unmeasured.len(),
        "objections": found.objections,
        "contracts": contracts(found).map(|contract| contract.into_iter().collect()).collect::<Vec<Map<_, _>>>(),
    });
    if *found.experiment != MEMORY {
        json["experiment"] = json!(found.experiment);
        json["charge_over_cost"] = factors::summary(found);
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::LOAD;
    use crate::params::Beyond;
    use crate::report::{Unmeasured, render};

    fn found() -> Verification {
        let estimate = |value: f64| json!({ "value": value, "low": value * 0.9, "high": value * 1.1 });
        let phase = |name: &str, median: f64| json!({ "phase": name, "median": median });
        let point = |contract: &str, verdict: &str, used: f64| {
            json!({
                "fit": {
                    "point": { "contract": contract, "variant": "", "strategy": "fresh-map", "levels": { "initial_pages": 2 } },
                    "processes": 1, "cycles": 9, "outliers": 0, "preempted": 0, "cost": estimate(1000.0), "measured": estimate(1000.0),
                    "spread": { "mean": 0.0, "deviation": 0.0, "min": 0.0, "max": 0.0 },
                    "phases": [
                        phase("instantiate", 500.0), phase("first_touch", 700.0), phase("warm_touch", 200.0), phase("reset", 300.0),
                    ],
                },
                "charge": 1500.0, "used": estimate(used), "verdict": verdict,
            })
        };
        let points = [point("a.wasm", "covered", 0.5), point("b\n.wasm", "over", 1.5)];
        let charged = json!({ "points": points, "slope": estimate(1.0), "measured": null });
        Verification {
            charged: Some(serde_json::from_value(charged).unwrap()),
            unmeasured: vec![Unmeasured { name: "c.wasm".into(), reason: "no memory".into() }],
            experiment: &MEMORY,
            beyond: Vec::new(),
            alternatives: Vec::new(),
            safety_factor: 3.0,
            strategy: "fresh-map",
            seed: 1,
            objections: Vec::new(),
            processes: 16,
            budget: jiff::SignedDuration::from_secs(60),
        }
    }

    #[test]
    fn the_dearest_contract_is_first_and_names_stay_in_their_line() {
        let text = render::terminal(&page(&found()));
        let table = "\u{1b}[1m  pages     make    touch    reset     cost   charge   used  95 % interval           contract\u{1b}[0m
      2   500 ns   500 ns   300 ns  1.00 µs  1.50 µs  150 %  135 % … 165 %  \u{1b}[1m\u{1b}[31mOVER\u{1b}[0m     b\\n.wasm
      2   500 ns   500 ns   300 ns  1.00 µs  1.50 µs   50 %    45 % … 55 %  covered  a.wasm

\u{1b}[1mNot measured\u{1b}[0m
  c.wasm: no memory

  2 contracts under fresh-map, every byte written, 16 processes, seed 1: 1 over
  their charge, 0 unsure, 1 covered; 1 could not be measured.
";
        assert!(text.starts_with(table), "{text}");
    }

    #[test]
    fn what_is_unsure_says_how_much_longer_it_takes_to_be_sure() {
        let said = |times: &[f64]| {
            let mut found = found();
            let points = &mut found.charged.as_mut().unwrap().points;
            points.iter_mut().zip(times).for_each(|(point, times)| point.times_longer = Some(*times));
            found.longer()
        };
        assert_eq!(said(&[]), None);
        let one =
            "To be sure of a.wasm: a run 5.0 times as long would do if the machine stays as it is (--budget 300s).";
        assert_eq!(said(&[5.0]).as_deref(), Some(one));
        assert!(
            said(&[5.0, 30.0])
                .unwrap()
                .starts_with("To be sure of all 2 that are unsure: it would take a run more than")
        );
        assert!(said(&[f64::INFINITY]).unwrap().ends_with("no length would do."));
    }

    #[test]
    fn what_lies_beyond_the_limits_of_the_table_is_told_contract_by_contract() {
        let beyond = |factor| Beyond { factor, level: 9, measured_up_to: 5 };
        let levels = ["used_locals", "functions"].map(beyond).into();
        let found = Verification { experiment: &LOAD, beyond: vec![("a.wasm".into(), levels)], ..found() };
        let said = render::terminal(&page(&found));
        assert!(said.contains("a.wasm: 9 used locals (measured up to 5), 9 functions (measured up to 5)"), "{said}");
        let json = json(&found);
        assert_eq!(json["contracts"][0]["beyond"], "used_locals functions");
        assert_eq!(json["contracts"][1]["beyond"], Value::Null);
    }

    /// Of two contracts the one pays two thirds of its cost, the other twice as much.
    #[test]
    fn the_median_of_an_even_number_of_contracts_lies_between_the_two_in_the_middle() {
        let found = Verification { experiment: &LOAD, ..found() };
        let (over, median) = (&json(&found)["charge_over_cost"], 4.0 / 3.0);
        let [least, found_median, most] = ["least", "median", "most"].map(|name| over[name].as_f64().unwrap());
        assert!((found_median - median).abs() < 1e-9 && least < median && median < most, "{over}");
        let said = render::terminal(&page(&found));
        assert!(said.contains("1.33 × in the middle"), "{said}");
    }

    #[test]
    fn a_contract_that_was_not_measured_has_a_row_and_its_reason() {
        let csv = render::csv(rows(&found())).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert!(
            lines[0].starts_with("file,pages,instantiate_ns,")
                && lines[0].ends_with(",verdict,cycles,reason,times_longer"),
            "{csv}"
        );
        assert_eq!(
            lines[1],
            "a.wasm,2,500.0,700.0,200.0,300.0,1000.0,900.0,1100.0,1000.0,1500.0,0.5,0.45,0.55,0.16666666666666666,covered,9,,"
        );
        assert_eq!(lines[4], "c.wasm,,,,,,,,,,,,,,,,,no memory,");
        let json = json(&found());
        let (measured, other) = (&json["contracts"][0], &json["contracts"][2]);
        assert_eq!((&measured["used_low"], &measured["verdict"]), (&json!(0.45), &json!("covered")));
        assert_eq!((&other["cost_ns"], &other["reason"]), (&Value::Null, &json!("no memory")));
        assert_eq!(measured.as_object().unwrap().len(), 19);
    }
}
