//! What is said of a run beside its fee, and why one is rejected, against a simulated machine whose truth is known.

use super::simulated::{Machine, quick};
use super::truth::model;
use super::*;
use crate::experiment::memory::DATA_BYTES;
use crate::measure::{Place, Samples};

fn stacked() -> Machine {
    Machine { stacks: vec![16 << 10, 64 << 10, 256 << 10, 1 << 20], rounds: 60, ..Machine::default() }
}

fn stack(machine: &Machine) -> StackTest {
    let fit = fit(&machine.run(5), &quick(5), None, "fresh-map").unwrap();
    model(&fit).stack.clone()
}

#[test]
fn stack_size_is_told_from_the_pages_it_adds() {
    let StackTest::Tested(free) = stack(&stacked()) else { panic!("not tested") };
    assert!(free.per_64_kib.holds(0.0) && free.answer != Answer::Yes, "{free:?}");
    let StackTest::Tested(dear) = stack(&Machine { per_stack: 5_000.0, ..stacked() }) else { panic!("not tested") };
    assert!(dear.per_64_kib.holds(5_000.0) && dear.answer == Answer::Yes, "{dear:?}");
    assert_eq!(stack(&Machine::default()), StackTest::NotCrossed);
}

#[test]
fn curvature_is_found() {
    let curve = |curvature| {
        let machine = Machine { curvature, rounds: 60, ..Machine::default() };
        let fit = fit(&machine.run(5), &quick(5), None, "fresh-map").unwrap();
        model(&fit).curvature.clone().unwrap()
    };
    let (straight, convex) = (curve(0.0), curve(0.3));
    assert!(straight.curved != Answer::Yes, "{straight:?}");
    assert!(convex.curved == Answer::Yes && convex.bend.low > 0.1, "{convex:?}");
}

#[test]
fn drift_and_moving_points_are_reported() {
    let strategy = |machine: Machine| fit(&machine.run(3), &quick(3), None, "fresh-map").unwrap().strategies.remove(0);
    let still = Machine { drift: 0.0, between: 0.0, outliers: 0.0, ..Machine::default() };
    let moved = Machine { between: 0.3, ..still.clone() };
    let drift = |drift: f64| strategy(Machine { drift, ..still.clone() }).model.unwrap().drift.unwrap();
    // From the middle of the first process to that of the last of 8.
    assert!(drift(0.2).over_run.holds((0.2_f64 * 7.0 / 8.0).exp_m1()) && drift(0.2).p_value < 0.01);
    assert!(drift(0.0).over_run.holds(0.0));
    assert_eq!(strategy(still.clone()).moving, []);
    assert!(!strategy(moved).moving.is_empty());
}

#[test]
fn held_out_points_are_predicted() {
    let fit = fit(&stacked().run(4), &quick(4), None, "fresh-map").unwrap();
    let held_out = model(&fit).held_out.as_ref().unwrap();
    assert_eq!(held_out.points.len() + held_out.fitted, fit.strategies[0].points.len());
    assert_eq!(held_out.points.len(), 4);
    assert!(held_out.slope.holds(1.0) && held_out.undercharged.is_empty(), "{held_out:?}");
}

#[test]
fn every_statistic_is_fitted() {
    for statistic in [Statistic::Mean, Statistic::Median, Statistic::P95, Statistic::P99] {
        let settings = FitSettings { statistic, ..quick(1) };
        let fit = fit(&Machine { rounds: 70, ..Machine::default() }.run(1), &settings, None, "fresh-map").unwrap();
        assert!(fit.strategies[0].model.is_some(), "{statistic}");
    }
}

#[test]
fn a_high_percentile_of_few_cycles_is_rejected() {
    let settings = FitSettings { statistic: Statistic::P99, ..quick(1) };
    let fit = fit(&Machine::default().run(1), &settings, None, "fresh-map").unwrap();
    assert!(matches!(fit.rejected[..], [Rejection::TooFewCycles { needed: 500, .. }]), "{:?}", fit.rejected);
}

#[test]
fn bad_designs_are_rejected_with_the_reason() {
    let rejected = |machine: &Machine| fit(&machine.run(1), &quick(1), None, "fresh-map").unwrap().rejected;
    let levels = |levels: &[u32]| Machine { levels: levels.to_vec(), ..Machine::default() };
    assert_eq!(rejected(&levels(&[17])), [Rejection::TooFewPageLevels { found: 1 }]);
    assert_eq!(rejected(&levels(&[1, 17])), [Rejection::TooFewPageLevels { found: 2 }]);
    assert_eq!(rejected(&levels(&[1, 17, 64])), []);
    assert_eq!(rejected(&Machine { base: -5_000.0, ..Machine::default() }), [Rejection::FreeBase]);

    let other = fit(&Machine::default().run(1), &quick(1), None, "pool-decommit").unwrap().rejected;
    assert!(matches!(&other[..], [Rejection::StrategyNotMeasured { .. }]));
    assert!(other[0].to_string().contains("pool-decommit") && other[0].to_string().contains("fresh-map"));

    let equal = Machine::default().run(1).changed(|_, place, values| {
        values[..4].copy_from_slice(&[7, 3, 1, 2]);
        Some(place)
    });
    let equal = fit(&equal, &quick(1), None, "fresh-map").unwrap().rejected;
    assert_eq!(equal, [Rejection::ConstantCost { statistic: Statistic::Median, cost: 11.0 }]);

    let mut collinear = Machine::default().run(1);
    for point in &mut collinear.points {
        let half = point.initial_pages().bytes().0 / 2;
        point.levels.set(&DATA_BYTES, half);
    }
    let collinear = fit(&collinear, &quick(1), None, "fresh-map").unwrap().rejected;
    assert!(collinear[0].to_string().starts_with("touched pages and data are collinear"), "{collinear:?}");
}

#[test]
fn samples_without_statistics_are_errors() {
    let failure = |samples: &_| fit(samples, &quick(1), None, "fresh-map").unwrap_err();
    let good = Machine::default().run(1);
    let with = |change: &dyn Fn(&mut Samples)| {
        let mut samples = good.clone();
        change(&mut samples);
        failure(&samples)
    };
    let changed =
        |change: &dyn Fn(usize, Place) -> Option<Place>| failure(&good.changed(|at, place, _| change(at, place)));
    assert_eq!(failure(&Samples::default()), ModelError::NoSamples);
    assert!(matches!(
        changed(&|at, place| Some(Place { point: if at == 3 { 99 } else { place.point }, ..place })),
        ModelError::UnknownPoint { sample: 3, point: 99, .. }
    ));
    assert!(matches!(with(&|s| s.points[1] = s.points[0].clone()), ModelError::RepeatedPoint { .. }));
    assert!(matches!(changed(&|_, place| (place.point != 2).then_some(place)), ModelError::Unmeasured { .. }));
    assert!(matches!(changed(&|at, place| (at < 6).then_some(place)), ModelError::SingleRound { .. }));
    let settings = FitSettings { confidence: 1.0, ..quick(1) };
    assert!(matches!(fit(&good, &settings, None, "fresh-map"), Err(ModelError::Setting { name: "confidence", .. })));
}

#[test]
fn a_single_process_says_so() {
    let fit = fit(&Machine { processes: 1, ..Machine::default() }.run(1), &quick(1), None, "fresh-map").unwrap();
    assert!(fit.strategies[0].single_process && fit.strategies[0].points[0].cost.high > 0.0);
}
