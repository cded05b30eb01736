//! How often intervals of simulated runs hold the truth: whole runs, with all that a run does.

use rayon::prelude::*;

use super::covering::Demands;
use super::simulated::{Machine, quick, reference, simulated_runs};
use super::simulated_load::{Loader, cost, points, settings};
use super::*;
use crate::experiment::{LOAD, Point};

/// As many as tell 95 % from 88 % of the runs.
const RUNS: u64 = 120;

/// Whether an interval held the truth, with what it is of.
type Held = Vec<(String, bool)>;

/// The share of the runs in which each interval held the truth.
#[expect(clippy::cast_precision_loss, reason = "hundreds of runs")]
fn shares(runs: &[Held]) -> Vec<(String, f64)> {
    let share = |at: usize| runs.iter().filter(|run| run[at].1).count() as f64 / runs.len() as f64;
    runs[0].iter().enumerate().map(|(at, (name, _))| (name.clone(), share(at))).collect()
}

/// Whether each share is within these.
fn assert_within(least: f64, most: f64, shares: &[(String, f64)]) {
    assert!(shares.iter().all(|(_, share)| (least..=most).contains(share)), "{shares:?}");
}

fn fitted(machine: &Machine, seed: u64, reference: &Reference) -> Fit {
    fit(&machine.run(seed), &quick(seed), Some(reference), "fresh-map").unwrap()
}

/// The classes, the smallest first.
fn classes(machine: &Machine, fit: &Fit) -> Held {
    assert_eq!(fit.rejected, []);
    let held = |class: &ClassFit| (class.label(), class.cost.holds(machine.cost(&class.point)));
    fit.strategies[0].classes.iter().map(held).collect()
}

fn of_runs(machine: &Machine, runs: u64, held: impl Fn(&Fit) -> Held + Sync) -> Vec<(String, f64)> {
    let runs: Vec<Held> = (0..runs).into_par_iter().map(|seed| held(&fitted(machine, seed, &reference()))).collect();
    shares(&runs)
}

/// Base and page of the line of least error.
fn lines(machine: &Machine, fit: &Fit) -> Held {
    let coefficients = &fit.strategies[0].model.as_ref().unwrap().relative.coefficients;
    let held = |(found, truth): (&Coefficient, f64)| (found.factor.name.to_owned(), found.nanos.holds(truth));
    coefficients.iter().zip([machine.base, machine.per_page]).map(held).collect()
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let machine = Machine { rounds: 12, run_to_run: 0.01, ..Machine::default() };
    assert_within(0.9, 0.995, &of_runs(&machine, 200, |fit| classes(&machine, fit)));
    let machine = Machine { rounds: 12, ..Machine::default() };
    assert_within(0.9, 0.995, &of_runs(&machine, 200, |fit| lines(&machine, fit)));
}

/// A machine whose simulation takes milliseconds.
fn small() -> Machine {
    Machine { levels: vec![1, 2, 4, 17, 64, 256], rounds: 4, together: 32, noise: 0.05, ..Machine::default() }
}

#[test]
fn intervals_of_runs_beside_neighbours_hold_the_truth() {
    let (machine, runs, least) = match simulated_runs() {
        // A share of so few runs is off by as much.
        Some(runs) => (Machine::standard(), runs, if runs >= 500 { 0.92 } else { 0.85 }),
        None => (small(), RUNS, 0.88),
    };
    let machine = machine.beside_neighbours();
    assert_within(least, 0.995, &of_runs(&machine, runs, |fit| classes(&machine, fit)));
}

/// What moves between runs moves all classes alike on one machine and each apart on another; by how much an interval cannot know.
#[test]
fn intervals_of_runs_that_move_all_classes_alike_hold_the_truth() {
    let machine = Machine { common: 0.008, run_to_run: 0.004, ..small() };
    assert_within(0.9, 1.0, &of_runs(&machine, RUNS, |fit| classes(&machine, fit)));
}

/// A surcharge that four runs of the machine found, and know to no better than they agree.
fn pinned_by_runs(machine: &Machine, seed: u64) -> Reference {
    let found =
        |run: u64| surcharges(&machine.run(1000 * run + seed), "fresh-map", &reference(), &quick(seed)).unwrap();
    let found: Vec<Surcharge> = (1..=4).flat_map(found).collect();
    Reference { surcharges: Surcharge::mean(&found).into_iter().collect(), ..reference() }
}

#[test]
fn intervals_of_runs_with_a_surcharge_that_others_found_hold_the_truth() {
    let machine = Machine { after: vec![1, 2, 4, 17], mood_of_run: 0.1, run_to_run: 0.01, ..small() };
    let runs: Vec<Held> = (0..RUNS)
        .into_par_iter()
        .map(|seed| {
            let reference = pinned_by_runs(&machine, seed);
            assert!(reference.surcharges[0].half_width > 0.0, "{:?}", reference.surcharges);
            let fit = fitted(&machine, seed, &reference);
            let [surcharge] = &fit.strategies[0].surcharges[..] else { panic!("one surcharge") };
            let mut held = classes(&machine, &fit);
            held.push(("surcharge".into(), surcharge.ratio.holds(1.0)));
            held
        })
        .collect();
    assert_within(0.88, 1.0, &shares(&runs));
}

/// A run as it is conducted, and how many processes it took of so many: it ends after half or three quarters of them if it is known well enough by then,
/// and goes on to twice and to three times as many while it is too noisy to sign.
fn conducted(machine: &Machine, seed: u64) -> (Fit, u32) {
    let planned = machine.processes;
    let samples = Machine { processes: 3 * planned, ..machine.clone() }.run(seed);
    let after = |processes: u32| {
        let so_far = samples.changed(|_, place, _| (place.process < processes).then_some(place));
        (fit(&so_far, &quick(seed), Some(&reference()), "fresh-map").unwrap(), processes)
    };
    let early = [planned / 2, planned * 3 / 4].into_iter().map(after).find(|(fit, _)| fit.is_precise());
    early.unwrap_or_else(|| {
        let signed = [1, 2].into_iter().map(|times| after(times * planned)).find(|(fit, _)| fit.refused.is_empty());
        signed.unwrap_or_else(|| after(3 * planned))
    })
}

#[test]
fn intervals_of_runs_that_are_signed_hold_the_truth_whenever_they_end() {
    // From one that is known early to one that is refused at its end.
    let machine = |seed: u64| {
        let (noise, between) =
            [(0.01, 0.003), (0.03, 0.01), (0.03, 0.05), (0.03, 0.12)][usize::try_from(seed % 4).unwrap()];
        Machine { noise, between, run_to_run: 0.01, ..small() }
    };
    let runs: Vec<(Fit, u32)> = (0..RUNS * 4 / 3).into_par_iter().map(|seed| conducted(&machine(seed), seed)).collect();
    let planned = small().processes;
    let of_length = |wanted: &dyn Fn(u32) -> bool| runs.iter().filter(|(_, processes)| wanted(*processes)).count();
    let (early, late) = (of_length(&|processes| processes < planned), of_length(&|processes| processes > planned));
    let signed: Vec<Held> =
        runs.iter().filter(|(fit, _)| fit.refused.is_empty()).map(|(fit, _)| classes(&small(), fit)).collect();
    assert!(early > 10 && late > 10 && signed.len() < runs.len() && signed.len() > runs.len() / 2);
    assert_within(0.88, 1.0, &shares(&signed));
}

/// The common part is no number that the estimator has.
#[test]
fn intervals_of_loads_hold_the_truth_though_a_run_moves_all_of_them_alike() {
    let loader = Loader { common: 0.045, class: 0.02, rounds: 3, ..Loader::default() };
    let points = points();
    let all: Vec<&Point> = points.iter().collect();
    let bounds: Vec<f64> = all.iter().map(|point| cost(point) * (1.0 + settings(0).margin)).collect();
    let truth = Demands::new(&LOAD, LOAD.terms, &all).cover(&bounds).unwrap();
    let runs: Vec<Held> = (0..RUNS / 2)
        .into_par_iter()
        .map(|seed| {
            let reference = simulated_load::reference();
            let fit = fit(&loader.run(&points, seed), &settings(seed), Some(&reference), "fresh-map").unwrap();
            let strategy = &fit.strategies[0];
            let covering = &strategy.model.as_ref().unwrap().covering;
            let base = ("base".into(), covering.base.holds(truth[0]));
            let class = |class: &ClassFit| (class.label(), class.cost.holds(cost(&class.point)));
            std::iter::once(base).chain(strategy.classes.iter().map(class)).collect()
        })
        .collect();
    assert_within(0.88, 1.0, &shares(&runs));
}
