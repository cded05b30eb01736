//! Accuracy and coverage against a simulated machine whose truth is known.

use rayon::prelude::*;

use super::simulated::{MEDIAN_LIFT, Machine};
use super::*;

const RUNS: u64 = 500;

fn quick(seed: u64) -> FitSettings {
    FitSettings { seed, resamples: Some(FitSettings::FEWEST_RESAMPLES), ..FitSettings::default() }
}

fn absolute(fit: &Fit) -> &Model {
    assert_eq!(fit.rejected, []);
    fit.strategies[0].absolute.as_ref().unwrap()
}

/// Share of the runs whose intervals hold the truth: base and page of the relative line, then of the covering line.
#[expect(clippy::cast_precision_loss, reason = "500 runs")]
fn coverage(machine: &Machine, base: f64, per_page: f64) -> [f64; 4] {
    let held: Vec<[bool; 4]> = (0..RUNS)
        .into_par_iter()
        .map(|seed| {
            let fit = fit(&machine.run(seed), &quick(seed), "fresh-map").unwrap();
            let model = absolute(&fit);
            let [line_base, line_page] = [0, 1].map(|at| model.relative.coefficients[at].nanos);
            [
                line_base.holds(base),
                line_page.holds(per_page),
                model.covering.base.holds(base),
                model.covering.per_page.holds(per_page),
            ]
        })
        .collect();
    [0, 1, 2, 3].map(|at| held.iter().filter(|held| held[at]).count() as f64 / RUNS as f64)
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let machine = Machine { rounds: 30, ..Machine::default() };
    let held = coverage(&machine, machine.base * MEDIAN_LIFT, machine.per_page * MEDIAN_LIFT);
    assert!(held.iter().all(|held| (0.92..=0.98).contains(held)), "{held:?}");
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
        let per_page = charge.per_page.value / machine.per_page - 1.0;
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
    assert!(model.covering.base.value > 0.0 && model.covering.grow_per_page.unwrap().low > 0.0);
    assert!(model.plain.worst.relative.abs() > 2.0 * model.relative.worst.relative.abs());
    assert!(model.plain.coefficient(Factor::Base).unwrap().value < 0.0);
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
