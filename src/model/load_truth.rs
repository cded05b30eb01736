//! Loads whose prices are known: what fit, comparison and verification find of them.

use super::simulated_load::{BASE, Loader, PRICES, cost, points, reference, settings};
use super::{ChargeVerdict, Charged, ClassFit, Fit, Model, Sides, Verdict, charged, compare, fit};
use crate::experiment::{LOAD, Point};
use crate::measure::Samples;

fn fitted(loader: &Loader) -> Fit {
    fit(&loader.run(&points(), 7), &settings(7), Some(&reference()), "fresh-map").unwrap()
}

fn model(fit: &Fit) -> &Model {
    assert_eq!(fit.rejected, [], "{:?}", fit.rejected);
    fit.strategies[0].model.as_ref().unwrap()
}

/// Loads that slow the probes beside them, the largest more than fourfold.
fn slows_probe() -> Loader {
    Loader { slows_probe: 0.05, ..Loader::default() }
}

#[test]
fn every_factor_has_its_price_and_no_module_is_undercharged() {
    let fit = fitted(&Loader::default());
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
    let fit = fitted(&Loader::default());
    let held_out = model(&fit).held_out.as_ref().unwrap();
    assert!(held_out.points.len() == 8 && held_out.points.iter().all(|label| label.starts_with("load-mixed/")));
    assert!((held_out.slope.value - 1.0).abs() < 0.01, "{:?}", held_out.slope);
    assert_eq!(held_out.undercharged, Vec::<String>::new());
}

#[test]
fn what_a_factor_buys_is_shown_against_leaving_it_out_and_against_the_size_alone() {
    let fit = fitted(&Loader::default());
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

/// By the quotient of its own cycles and probes the largest module would cost a quarter, and no line would go through it.
#[test]
fn what_slows_the_probe_beside_it_is_no_cheaper_in_any_part_of_a_fit() {
    let fit = fitted(&slows_probe());
    let (model, strategy) = (model(&fit), &fit.strategies[0]);
    // All are cheaper alike: even the quickest quarter of the probes is slowed a little.
    let slowed = strategy.classes.iter().map(|class| class.cost.value / cost(&class.point)).fold(f64::NAN, f64::max);
    assert!((0.9..1.0).contains(&slowed), "{slowed}");
    for class in &strategy.classes {
        let off = class.cost.value / cost(&class.point) / slowed - 1.0;
        assert!(off.abs() < 0.03, "{}: {off}", class.label());
        let point = strategy.points.iter().find(|point| point.point == class.point).unwrap();
        assert!((point.cost.value / class.cost.value - 1.0).abs() < 1e-9, "{}", class.label());
        let ratio = point.ratio.unwrap().value / class.ratio.unwrap().value;
        assert!((ratio - 1.0).abs() < 1e-9, "{}", class.label());
    }
    assert!(model.relative.worst.relative.abs() < 0.03, "{:?}", model.relative.worst);
    let held_out = model.held_out.as_ref().unwrap();
    assert!((held_out.slope.value - 1.0).abs() < 0.01, "{:?}", held_out.slope);
    let types = model.relative.coefficient(LOAD.line[1]).unwrap().value / PRICES[1] / slowed;
    assert!((types - 1.0).abs() < 0.03, "{types}");
}

/// Each batch with these charges for its points.
fn held(batches: Vec<Samples>, charge: impl Fn(&Point) -> f64) -> Charged {
    let with_charges = |samples: Samples| {
        let charges = samples.points.iter().map(&charge).collect();
        (samples, charges)
    };
    charged(&batches.into_iter().map(with_charges).collect::<Vec<_>>(), &reference(), &settings(1)).unwrap()
}

#[test]
fn a_verification_of_some_modules_finds_the_costs_that_the_fit_of_all_finds() {
    let fit = fitted(&slows_probe());
    let some: Vec<Point> = points().into_iter().step_by(3).collect();
    let found = held(vec![slows_probe().run(&some, 8)], |point| model(&fit).covering.charge(point));
    assert_eq!(found.points.len(), some.len());
    let of = |point: &Point| fit.strategies[0].classes.iter().find(|class| class.point == *point).unwrap();
    for point in &found.points {
        let class: &ClassFit = of(&point.fit.point);
        let off = point.fit.cost.value / class.cost.value - 1.0;
        assert!(off.abs() < 0.03, "{}: {off}", class.label());
        assert!(point.used.holds(class.cost.value / point.charge), "{}: {point:?}", class.label());
        assert!(point.used.value < 1.0 && point.verdict != ChargeVerdict::Over, "{}: {point:?}", class.label());
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of modules")]
    let mean = found.points.iter().map(|point| point.used.value).sum::<f64>() / found.points.len() as f64;
    assert!((found.slope.value / mean - 1.0).abs() < 1e-9, "{:?} is not the mean of what is listed", found.slope);
}

/// Batches run one after the other, minutes apart, and the processes of each are numbered from 0.
#[test]
fn a_batch_that_was_measured_in_a_slow_hour_is_held_against_its_own_probes() {
    let (first, second): (Vec<Point>, Vec<Point>) =
        points().into_iter().partition(|point| point.label().len() % 2 == 0);
    let slow = Loader { slow: 1.15, ..Loader::default() };
    let found = held(vec![Loader::default().run(&first, 1), slow.run(&second, 2)], |point| cost(point) * 1.02);
    assert_eq!(found.points.len(), first.len() + second.len());
    for point in &found.points {
        let off = point.fit.cost.value / cost(&point.fit.point) - 1.0;
        assert!(off.abs() < 0.02, "{}: {off}", point.fit.point.label());
        assert!(point.verdict != ChargeVerdict::Over, "{point:?}");
    }
    assert!(found.slope.holds(1.0 / 1.02), "{:?}", found.slope);
    let by_time = found.measured.unwrap().value * 1.02;
    assert!((1.03..1.12).contains(&by_time), "half of them took 15 % longer: {by_time}");
}

/// What all loads of a run share does not shrink in a mean over them.
#[test]
fn runs_of_loads_that_moved_together_are_not_called_changed() {
    let overall = |moved: f64| {
        let (a, b) = (Loader::default().run(&points(), 1), Loader { moved, ..Loader::default() }.run(&points(), 2));
        compare(&a, &b, Sides::TwoRuns, &settings(1), 0.02).unwrap().overall
    };
    let together = overall(1.08);
    assert!((together.ratio.value - 1.08).abs() < 0.01 && together.verdict == Verdict::Unsure, "{together:?}");
    assert_eq!(overall(1.3).verdict, Verdict::Slower);
}
