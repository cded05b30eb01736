//! Accuracy and coverage against a simulated machine whose truth is known.

use rayon::prelude::*;

use super::simulated::{MEDIAN_LIFT, Machine};
use super::*;
use crate::experiment::MEMORY;
use crate::experiment::memory::DATA_BYTES;
use crate::measure::Place;

const RUNS: u64 = 500;

fn quick(seed: u64) -> FitSettings {
    FitSettings { seed, resamples: Some(FitSettings::FEWEST_RESAMPLES), ..FitSettings::default() }
}

fn absolute(fit: &Fit) -> &Model {
    assert_eq!(fit.rejected, []);
    fit.strategies[0].absolute.as_ref().unwrap()
}

/// Share of the runs whose intervals hold the truth: base and page of the relative line, then of the covering line.
#[expect(clippy::cast_precision_loss, reason = "hundreds of runs")]
fn coverage(machine: &Machine, runs: u64, base: f64, per_page: f64) -> [f64; 4] {
    let held: Vec<[bool; 4]> = (0..runs)
        .into_par_iter()
        .map(|seed| {
            let fit = fit(&machine.run(seed), &quick(seed), "fresh-map").unwrap();
            let model = absolute(&fit);
            let [line_base, line_page] = [0, 1].map(|at| model.relative.coefficients[at].nanos);
            [
                line_base.holds(base),
                line_page.holds(per_page),
                model.covering.base.holds(base),
                model.covering.price("page").unwrap().holds(per_page),
            ]
        })
        .collect();
    [0, 1, 2, 3].map(|at| held.iter().filter(|held| held[at]).count() as f64 / runs as f64)
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let machine = Machine { rounds: 30, ..Machine::default() };
    let held = coverage(&machine, RUNS, machine.base * MEDIAN_LIFT, machine.per_page * MEDIAN_LIFT);
    assert!(held.iter().all(|held| (0.92..=0.98).contains(held)), "{held:?}");
}

/// The grid, the repeats, and the rounds of a run by the `standard` profile.
fn standard() -> Machine {
    Machine {
        levels: vec![1, 2, 4, 8, 16, 17, 32, 64, 128, 256, 512, 1024],
        stacks: vec![16 << 10, 64 << 10, 256 << 10, 1 << 20],
        grown: vec![17, 64, 256, 1024],
        together: 128,
        processes: 16,
        rounds: 5,
        ..Machine::default()
    }
}

#[test]
fn a_run_of_standard_size_finds_the_cost_whatever_the_drift() {
    for machine in [standard(), Machine { wave: 0.1, ..standard() }] {
        (0..4_u64).into_par_iter().for_each(|seed| {
            let fit = fit(&machine.run(seed), &quick(seed), "fresh-map").unwrap();
            let model = absolute(&fit);
            let [base, page] = [0, 1].map(|at| model.relative.coefficients[at].nanos.value);
            assert!((page / machine.per_page - 1.0).abs() < 0.01, "{page}");
            assert!((base / machine.base - 1.0).abs() < 0.04, "{base}");
            // It clears some fifty noisy points.
            assert!(
                (1.0..1.15).contains(&(model.covering.price("page").unwrap().value / machine.per_page)),
                "{:?}",
                model.covering
            );
        });
    }
}

/// `ESTIMATOR_SIMULATED_RUNS=500` takes a minute or so; without it a few runs show that the check itself works.
#[test]
fn intervals_hold_the_truth_at_standard_size() {
    let runs = std::env::var("ESTIMATOR_SIMULATED_RUNS").map_or(4, |runs| runs.parse().unwrap());
    let machine = standard();
    let held = coverage(&machine, runs, machine.base * MEDIAN_LIFT, machine.per_page * MEDIAN_LIFT);
    let least = if runs >= 50 { 0.85 } else { 0.5 };
    assert!(held.iter().all(|&held| held >= least), "{held:?}");
    if runs >= RUNS {
        assert!(held[..2].iter().all(|held| (0.92..=0.98).contains(held)), "{held:?}");
        // Fifty noisy points lift a covering line well above the truth, and its interval reaches up to it.
        assert!(held[2..].iter().all(|&held| held >= 0.92), "{held:?}");
    }
}

#[test]
fn the_fee_is_within_a_hundredth_of_the_truth() {
    let machine = Machine { processes: 16, rounds: 500, between: 0.005, ..Machine::default() };
    for seed in 0..3 {
        let fit = fit(&machine.run(seed), &quick(seed), "fresh-map").unwrap();
        let charge = &absolute(&fit).covering;
        for point in &fit.strategies[0].points {
            let error = charge.charge(&point.point) / machine.cost(&point.point) - 1.0;
            assert!((0.0..0.01).contains(&error), "{}: {error}", point.point.label());
        }
        let per_page = charge.price("page").unwrap().value / machine.per_page - 1.0;
        assert!(per_page.abs() < 0.01, "{per_page}");
    }
}

#[test]
fn convex_costs_are_covered_and_plain_least_squares_is_shown_to_miss() {
    let machine = Machine { curvature: 0.15, grown: vec![256, 1024], ..Machine::default() };
    let fit = fit(&machine.run(1), &quick(1), "fresh-map").unwrap();
    let model = absolute(&fit);
    for point in &fit.strategies[0].points {
        assert!(model.covering.charge(&point.point) >= point.cost.high, "{}", point.point.label());
    }
    assert!(model.covering.base.value > 0.0 && model.covering.price("grown").unwrap().low > 0.0);
    assert!(model.plain.worst.relative.abs() > 2.0 * model.relative.worst.relative.abs());
    assert!(model.plain.base().unwrap().value < 0.0);
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let samples = Machine { grown: vec![1024], ..Machine::default() }.run(7);
    let bytes = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| serde_json::to_string(&fit(&samples, &quick(3), "fresh-map").unwrap()).unwrap())
    };
    let one = bytes(1);
    assert!(one == bytes(3));
    let read: Fit = serde_json::from_str(&one).unwrap();
    assert_eq!((read.format, read.strategies.len()), (FORMAT, 1));
}

#[test]
fn changes_are_detected_and_no_change_is_not() {
    const PAIRS: u64 = 200;
    let before = Machine { rounds: 100, ..Machine::default() };
    let after = Machine { base: before.base * 1.03, per_page: before.per_page * 1.03, ..before.clone() };
    let verdicts = |b: &Machine| -> Vec<Verdict> {
        let pair = |seed| compare(&before.run(seed), &b.run(seed + PAIRS), &quick(seed), 0.02).unwrap().overall.verdict;
        (0..PAIRS).into_par_iter().map(pair).collect()
    };
    let count = |verdicts: &[Verdict], wanted: &[Verdict]| verdicts.iter().filter(|v| wanted.contains(v)).count();
    let (changed, unchanged) = (verdicts(&after), verdicts(&before));
    assert!(count(&changed, &[Verdict::Slower]) >= 190, "{}", count(&changed, &[Verdict::Slower]));
    let alarms = count(&unchanged, &[Verdict::Slower, Verdict::Faster]);
    assert!(alarms <= 10, "{alarms}");
    assert!(count(&unchanged, &[Verdict::Same]) > 150, "{}", count(&unchanged, &[Verdict::Same]));
}

#[test]
fn the_steadier_form_is_compared() {
    let drifting = Machine { drift: 0.3, noise: 0.02, ..Machine::default() };
    let comparison = compare(&drifting.run(1), &drifting.run(2), &quick(1), 0.02).unwrap();
    assert_eq!(comparison.form, Form::Normalised);
    let probe = MEMORY.probe().unwrap();
    let without = drifting.run(1).changed(|_, place, values| {
        values[probe] = 0;
        Some(place)
    });
    assert_eq!(compare(&without, &drifting.run(2), &quick(1), 0.02).unwrap().form, Form::Absolute);
    assert!(fit(&without, &quick(1), "fresh-map").unwrap().strategies[0].normalised.is_none());
}

#[test]
fn noise_is_what_the_halves_of_a_run_could_tell_apart() {
    let machine = Machine { rounds: 50, ..Machine::default() };
    let quiet = noise(&machine.run(1), &quick(1), 0.02).unwrap();
    assert!(!matches!(quiet.halves.overall.verdict, Verdict::Faster | Verdict::Slower));
    assert!(quiet.detectable > 0.02 && quiet.detectable < quiet.halves.detectable, "{}", quiet.detectable);
    let loud = noise(&Machine { noise: 0.4, ..machine.clone() }.run(1), &quick(1), 0.02).unwrap();
    assert!(loud.detectable > quiet.detectable);
    let alone = Machine { processes: 1, ..machine }.run(1);
    assert_eq!(noise(&alone, &quick(1), 0.02), Err(ModelError::NothingToSplit { processes: 1 }));
}

fn stacked() -> Machine {
    Machine { stacks: vec![16 << 10, 64 << 10, 256 << 10, 1 << 20], rounds: 60, ..Machine::default() }
}

fn stack(machine: &Machine) -> StackTest {
    let fit = fit(&machine.run(5), &quick(5), "fresh-map").unwrap();
    absolute(&fit).stack.clone()
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
fn curvature_is_found_with_the_error_it_causes() {
    let curve = |curvature| {
        let machine = Machine { curvature, rounds: 60, ..Machine::default() };
        let fit = fit(&machine.run(5), &quick(5), "fresh-map").unwrap();
        absolute(&fit).curvature.clone().unwrap()
    };
    let (straight, convex) = (curve(0.0), curve(0.3));
    assert!(straight.curved != Answer::Yes, "{straight:?}");
    assert!(convex.curved == Answer::Yes && convex.bend.low > 0.1, "{convex:?}");
    assert!(convex.charge_error.relative > 0.1 && straight.charge_error.relative < 0.05);
}

#[test]
fn drift_and_moving_points_are_reported() {
    let strategy = |machine: Machine| fit(&machine.run(3), &quick(3), "fresh-map").unwrap().strategies.remove(0);
    let still = Machine { drift: 0.0, between: 0.0, outliers: 0.0, ..Machine::default() };
    let moved = Machine { between: 0.3, ..still.clone() };
    let drift = |drift: f64| strategy(Machine { drift, ..still.clone() }).absolute.unwrap().drift.unwrap();
    // From the middle of the first process to that of the last of 8.
    assert!(drift(0.2).over_run.holds((0.2_f64 * 7.0 / 8.0).exp_m1()) && drift(0.2).p_value < 0.01);
    assert!(drift(0.0).over_run.holds(0.0));
    assert_eq!(strategy(still.clone()).moving, []);
    assert!(!strategy(moved).moving.is_empty());
}

#[test]
fn held_out_points_are_predicted() {
    let fit = fit(&stacked().run(4), &quick(4), "fresh-map").unwrap();
    let held_out = absolute(&fit).held_out.as_ref().unwrap();
    assert_eq!(held_out.points.len() + held_out.fitted, fit.strategies[0].points.len());
    assert_eq!(held_out.points.len(), 4);
    assert!(held_out.slope.holds(1.0) && held_out.undercharged.is_empty(), "{held_out:?}");
}

#[test]
fn every_statistic_is_fitted() {
    for statistic in [Statistic::Mean, Statistic::Median, Statistic::P95, Statistic::P99] {
        let settings = FitSettings { statistic, ..quick(1) };
        let fit = fit(&Machine { rounds: 70, ..Machine::default() }.run(1), &settings, "fresh-map").unwrap();
        assert!(fit.strategies[0].absolute.is_some(), "{statistic}");
    }
}

#[test]
fn a_high_percentile_of_few_cycles_is_rejected() {
    let settings = FitSettings { statistic: Statistic::P99, ..quick(1) };
    let fit = fit(&Machine::default().run(1), &settings, "fresh-map").unwrap();
    assert!(matches!(fit.rejected[..], [Rejection::TooFewCycles { needed: 500, .. }]), "{:?}", fit.rejected);
}

#[test]
fn bad_designs_are_rejected_with_the_reason() {
    let rejected = |machine: &Machine| fit(&machine.run(1), &quick(1), "fresh-map").unwrap().rejected;
    let levels = |levels: &[u32]| Machine { levels: levels.to_vec(), ..Machine::default() };
    assert_eq!(rejected(&levels(&[17])), [Rejection::TooFewPageLevels { found: 1 }]);
    assert_eq!(rejected(&levels(&[1, 17])), [Rejection::TooFewPageLevels { found: 2 }]);
    assert_eq!(rejected(&levels(&[1, 17, 64])), []);
    assert_eq!(rejected(&Machine { base: -5_000.0, ..Machine::default() }), [Rejection::FreeBase]);

    let other = fit(&Machine::default().run(1), &quick(1), "pool-decommit").unwrap().rejected;
    assert!(matches!(&other[..], [Rejection::StrategyNotMeasured { .. }]));
    assert!(other[0].to_string().contains("pool-decommit") && other[0].to_string().contains("fresh-map"));

    let equal = Machine::default().run(1).changed(|_, place, values| {
        values[..4].copy_from_slice(&[7, 3, 1, 2]);
        Some(place)
    });
    let equal = fit(&equal, &quick(1), "fresh-map").unwrap().rejected;
    assert_eq!(equal, [Rejection::ConstantCost { statistic: Statistic::Median, cost: 11.0 }]);

    let mut collinear = Machine::default().run(1);
    for point in &mut collinear.points {
        let half = point.initial_pages().bytes().0 / 2;
        point.levels.set(&DATA_BYTES, half);
    }
    let collinear = fit(&collinear, &quick(1), "fresh-map").unwrap().rejected;
    assert!(collinear[0].to_string().starts_with("touched pages and data are collinear"), "{collinear:?}");
}

#[test]
fn samples_without_statistics_are_errors() {
    let failure = |samples: &_| fit(samples, &quick(1), "fresh-map").unwrap_err();
    let good = Machine::default().run(1);
    let with = |change: &dyn Fn(&mut crate::measure::Samples)| {
        let mut samples = good.clone();
        change(&mut samples);
        failure(&samples)
    };
    let changed =
        |change: &dyn Fn(usize, Place) -> Option<Place>| failure(&good.changed(|at, place, _| change(at, place)));
    assert_eq!(failure(&crate::measure::Samples::default()), ModelError::NoSamples);
    assert!(matches!(
        changed(&|at, place| Some(Place { point: if at == 3 { 99 } else { place.point }, ..place })),
        ModelError::UnknownPoint { sample: 3, point: 99, .. }
    ));
    assert!(matches!(with(&|s| s.points[1] = s.points[0].clone()), ModelError::RepeatedPoint { .. }));
    assert!(matches!(changed(&|_, place| (place.point != 2).then_some(place)), ModelError::Unmeasured { .. }));
    assert!(matches!(changed(&|at, place| (at < 6).then_some(place)), ModelError::SingleRound { .. }));
    let settings = FitSettings { confidence: 1.0, ..quick(1) };
    assert!(matches!(fit(&good, &settings, "fresh-map"), Err(ModelError::Setting { name: "confidence", .. })));
}

#[test]
fn a_single_process_says_so() {
    let fit = fit(&Machine { processes: 1, ..Machine::default() }.run(1), &quick(1), "fresh-map").unwrap();
    assert!(fit.strategies[0].single_process && fit.strategies[0].points[0].cost.high > 0.0);
}
