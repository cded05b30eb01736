//! Loads whose prices are known: what the fit by many factors finds of them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{ChargeVerdict, Fit, FitSettings, Model, Reference, charged, fit};
use crate::contract::{Artifact, Limits, load_levels, made};
use crate::experiment::{LOAD, Point};
use crate::measure::{Place, Samples};
use crate::units::Pages;

const BASE: f64 = 40_000.0;
/// In the order of the terms.
const PRICES: [f64; 10] = [40.0, 900.0, 40.0, 550.0, 140.0, 15.0, 700.0, 25.0, 6_000.0, 200.0];
const PROBE: u64 = 50_000;

fn points() -> Vec<Point> {
    let limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };
    let point = |made: &Artifact| Point {
        contract: made.contract.clone(),
        variant: made.variant.clone(),
        strategy: "fresh-map".into(),
        levels: load_levels(&made.wasm).unwrap(),
    };
    made(limits).unwrap().iter().map(point).collect()
}

fn cost(point: &Point) -> f64 {
    BASE + LOAD.terms.iter().zip(PRICES).map(|(term, price)| price * term.level(point)).sum::<f64>()
}

/// Eight processes of six rounds, whose cycles vary by 2 %.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "costs are positive and below 2^53")]
fn samples() -> Samples {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut samples = Samples::of(&LOAD, points());
    for (process, round) in (0..8).flat_map(|process| (0..6).map(move |round| (process, round))) {
        for point in 0..u32::try_from(samples.points.len()).unwrap() {
            let time = cost(&samples.points[point as usize]) * random.random_range(0.98..1.02);
            // Whatever a reset and an unload take, nobody pays it here.
            let values = [(time * 0.8) as u64, (time * 0.05) as u64, (time * 0.15) as u64, 9_000, 70_000, PROBE, 40, 0];
            samples.push(Place { process, round, order: point, point }, &values);
        }
    }
    samples
}

fn fitted() -> Fit {
    let settings = FitSettings { terms: LOAD.terms.to_vec(), resamples: Some(200), ..FitSettings::default() };
    let samples = samples();
    let own = Reference::of_run(&samples, "fresh-map").unwrap();
    fit(&samples, &settings, Some(&own), "fresh-map").unwrap()
}

fn model(fit: &Fit) -> &Model {
    assert_eq!(fit.rejected, [], "{:?}", fit.rejected);
    fit.strategies[0].model.as_ref().unwrap()
}

#[test]
fn every_factor_has_its_price_and_no_module_is_undercharged() {
    let fit = fitted();
    let model = model(&fit);
    for ((regressor, term), truth) in LOAD.line.iter().zip(LOAD.terms).zip(PRICES) {
        let found = model.relative.coefficient(regressor).unwrap();
        // Code is a small part of every module here, as it is of real ones.
        let off = (found.value - truth).abs() * largest(term.name);
        assert!(off < 0.03, "{}: {found:?}, not {truth}", term.name);
        assert!(model.covering.price(term.name).is_some(), "{}", term.name);
    }
    for class in &fit.strategies[0].classes {
        let over = model.covering.charge(&class.point) / cost(&class.point);
        assert!((1.03..1.3).contains(&over), "{}: {over}", class.label());
    }
    assert!((model.covering.base.value / BASE - 1.0).abs() < 0.1, "{:?}", model.covering.base);
}

/// The most that a term's unit is of a point's cost.
fn largest(term: &str) -> f64 {
    let term = LOAD.terms.iter().find(|of| of.name == term).unwrap();
    points().iter().map(|point| term.level(point) / cost(point)).fold(0.0, f64::max)
}

#[test]
fn mixed_modules_are_predicted_by_the_others_alone() {
    let fit = fitted();
    let held_out = model(&fit).held_out.as_ref().unwrap();
    assert!(held_out.points.len() == 8 && held_out.points.iter().all(|label| label.starts_with("load-mixed/")));
    assert!((held_out.slope.value - 1.0).abs() < 0.01, "{:?}", held_out.slope);
    assert_eq!(held_out.undercharged, Vec::<String>::new());
}

#[test]
fn what_a_factor_buys_is_shown_against_leaving_it_out_and_against_the_size_alone() {
    let fit = fitted();
    let model = model(&fit);
    let worst = |words: &str| {
        model.alternatives.iter().find(|of| of.words(&LOAD) == words).unwrap_or_else(|| panic!("{words}")).worst
    };
    let every = worst("every factor");
    assert!(every < 0.3 && model.alternatives.len() == LOAD.terms.len() + 2, "{every}");
    assert!(worst("without contract_load_per_type") > 5.0 * every);
    assert!(worst("contract_load_per_module_kib alone") > worst("without contract_load_per_import"));
    for of in &model.alternatives {
        assert!(points().iter().all(|point| of.charge(point) >= cost(point)), "{}", of.words(&LOAD));
    }
}

/// What a large module leaves in the caches slows the probe beside it: that makes no module cheaper in a verification than it is in a run.
#[test]
fn a_verification_finds_the_costs_that_the_fit_finds() {
    let samples = samples().changed(|_, place, values| {
        values[LOAD.probe().unwrap()] = PROBE + values[0] / 20;
        Some(place)
    });
    let settings = FitSettings { terms: LOAD.terms.to_vec(), resamples: Some(200), ..FitSettings::default() };
    let own = Reference::of_run(&samples, "fresh-map").unwrap();
    let fit = fit(&samples, &settings, Some(&own), "fresh-map").unwrap();
    let charges: Vec<f64> = samples.points.iter().map(|point| model(&fit).covering.charge(point)).collect();
    let held = charged(&samples, &charges, &own, &settings).unwrap();
    for class in &fit.strategies[0].classes {
        let point = held.points.iter().find(|point| point.fit.point == class.point).unwrap();
        assert!((point.fit.cost.value / class.cost.value - 1.0).abs() < 1e-9, "{}", class.label());
        assert!(point.used.value < 1.0 && point.verdict == ChargeVerdict::Covered, "{}: {point:?}", class.label());
    }
}
