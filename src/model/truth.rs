//! Accuracy against a simulated machine whose truth is known.

use rayon::prelude::*;

use super::simulated::{Machine, quick, reference, simulated_runs};
use super::*;
use crate::experiment::MEMORY;
use crate::experiment::memory::PER_PAGE;

/// The fit of a run on the simulated reference machine.
fn fitted(machine: &Machine, seed: u64) -> Fit {
    fit(&machine.run(seed), &quick(seed), Some(&reference()), "fresh-map").unwrap()
}

pub(super) fn model(fit: &Fit) -> &Model {
    assert_eq!(fit.rejected, []);
    fit.strategies[0].model.as_ref().unwrap()
}

/// What the charge of a machine is without any noise, in nanoseconds: its costs with the margin.
fn charged(cost: f64) -> f64 {
    cost * (1.0 + FitSettings::default().margin)
}

#[test]
fn a_run_of_standard_size_finds_the_cost_whatever_the_drift_and_the_neighbours() {
    for machine in
        [Machine::standard(), Machine { wave: 0.1, ..Machine::standard() }, Machine::standard().beside_neighbours()]
    {
        (0..3_u64).into_par_iter().for_each(|seed| {
            let fit = fitted(&machine, seed);
            let model = model(&fit);
            let [base, page] = [0, 1].map(|at| model.relative.coefficients[at].nanos.value);
            assert!((page / machine.per_page - 1.0).abs() < 0.01, "{page}");
            assert!((base / machine.base - 1.0).abs() < 0.05, "{base}");
            let charge = model.covering.price("page").unwrap().value / charged(machine.per_page);
            assert!((0.99..1.04).contains(&charge), "{:?}", model.covering);
            for point in &fit.strategies[0].points {
                let charge = model.covering.charge(&point.point) / machine.cost(&point.point);
                assert!((1.0..1.15).contains(&charge), "{}: {charge}", point.point.label());
            }
            assert_eq!(fit.refused, []);
        });
    }
}

/// The spread of numbers: from the least to the most, over the middle.
fn spread(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    (numbers[numbers.len() - 1] - numbers[0]) / numbers[numbers.len() / 2]
}

/// With small calls after an unlike tenant too, the dearest that there are.
fn met() -> Machine {
    let after = vec![1, 2, 4, 8, 16, 17, 32];
    Machine { after, run_to_run: 0.003, hour: 0.1, processes: 12, rounds: 8, ..Machine::standard() }
}

fn pinned(machine: &Machine) -> Reference {
    Reference { surcharges: vec![machine.pinned()], ..reference() }
}

#[test]
fn the_fee_of_quick_runs_covers_what_small_calls_meet_and_repeats_by_the_pinned_surcharge() {
    let machine = met();
    let runs = simulated_runs().unwrap_or(4).min(40);
    let on = |reference: &Reference| -> Vec<Fit> {
        let fit = |seed| fit(&machine.run(seed), &quick(seed), Some(reference), "fresh-map").unwrap();
        (0..runs).into_par_iter().map(fit).collect()
    };
    let one_page = |fit: &Fit| {
        let of = &model(fit).covering;
        of.base.value + of.leading().unwrap().value
    };
    let known = on(&pinned(&machine));
    for fit in &known {
        assert_eq!(fit.refused, []);
        for class in &fit.strategies[0].classes {
            let charge = model(fit).covering.charge(&class.point) / machine.cost(&class.point);
            assert!(charge >= 1.0, "{}: {charge}", class.label());
            let ratio = class.cost.value / machine.cost(&class.point);
            assert!((0.95..1.05).contains(&ratio), "{}: {ratio}", class.label());
        }
        let [held] = &fit.strategies[0].surcharges[..] else { panic!("one surcharge") };
        assert!((0.85..1.15).contains(&held.ratio.value), "{held:?}");
    }
    let own = on(&reference());
    let (known, own) = (spread(known.iter().map(one_page)), spread(own.iter().map(one_page)));
    assert!(known < 0.03 && own > known, "{known} {own}");
}

#[test]
fn a_surcharge_that_the_machine_has_outgrown_is_found() {
    let before = met();
    let after = Machine { surcharge: (120_000.0, 14_000.0), mood: 0.02, ..met() };
    let fit = fit(&after.run(1), &quick(1), Some(&pinned(&before)), "fresh-map").unwrap();
    let held = &fit.strategies[0].surcharges;
    assert!(held[0].ratio.low > 1.2, "{held:?}");
    let refused = Refusal::of_surcharges(held, 0.05);
    assert!(matches!(&refused[..], [Refusal::Surcharge { least, .. }] if *least > 20.0), "{refused:?}");
    assert!(refused[0].to_string().contains("after a dirty tenant"), "{}", refused[0]);
    // A chain whose largest memory is a page has one class of small calls there.
    let one_page = Machine { after: vec![1], ..after.clone() };
    let fit = super::fit(&one_page.run(1), &quick(1), Some(&pinned(&before)), "fresh-map").unwrap();
    let refused = Refusal::of_surcharges(&fit.strategies[0].surcharges, 0.05);
    assert!(matches!(&refused[..], [Refusal::Surcharge { .. }]), "{:?}", fit.strategies[0].surcharges);
    let found = surcharges(&after.run(1), "fresh-map", &reference(), &quick(1)).unwrap();
    assert!((found[0].call / 120_000.0 - 1.0).abs() < 0.1 && found[0].half_width < 0.1, "{found:?}");
}

#[test]
fn the_fee_of_signed_runs_repeats_whatever_the_hour_and_time_does_not() {
    // Quiet and loaded by turns.
    let machines = [
        Machine { run_to_run: 0.003, hour: 0.1, ..Machine::standard() },
        Machine { run_to_run: 0.003, ..Machine::standard().beside_neighbours() },
    ];
    let runs = simulated_runs().unwrap_or(4).min(40);
    let fits: Vec<Fit> =
        (0..runs).into_par_iter().map(|seed| fitted(&machines[usize::from(seed % 2 == 1)], seed)).collect();
    let signed: Vec<&Model> = fits.iter().filter(|fit| fit.refused.is_empty()).map(model).collect();
    assert!(signed.len() * 2 >= fits.len());
    let at = |covering: &Covering, pages: f64| covering.base.value + pages * covering.leading().unwrap().value;
    let page = spread(signed.iter().map(|model| model.covering.leading().unwrap().value));
    let common = spread(signed.iter().map(|model| at(&model.covering, 17.0)));
    let by_time = spread(signed.iter().map(|model| model.measured.as_ref().unwrap().leading().unwrap().value));
    assert!(page < 0.03 && common < 0.03, "{page} {common}");
    assert!(by_time > 0.15, "{by_time}");
}

#[test]
fn a_machine_that_is_too_noisy_is_not_signed_and_says_why() {
    let machine = Machine { between: 0.3, processes: 8, rounds: 2, ..Machine::standard() };
    let fit = fitted(&machine, 1);
    let [Refusal::TooNoisy { widest, times, .. }] = &fit.refused[..] else { panic!("{:?}", fit.refused) };
    assert!(*widest > 6.0 && *times > 1.0 && !fit.is_precise());
    let said = fit.refused[0].to_string();
    assert!(said.contains("simulated of ") && said.contains("times as long"), "{said}");
    let quiet = Machine { between: 0.001, rounds: 60, noise: 0.03, ..Machine::standard() };
    assert!(fitted(&quiet, 1).is_precise());
}

#[test]
fn the_fee_is_within_a_hundredth_of_the_truth() {
    let machine = Machine { processes: 16, rounds: 500, between: 0.005, ..Machine::default() };
    for seed in 0..3 {
        let fit = fitted(&machine, seed);
        let charge = &model(&fit).covering;
        for point in &fit.strategies[0].points {
            let error = charge.charge(&point.point) / charged(machine.cost(&point.point)) - 1.0;
            assert!(error.abs() < 0.01, "{}: {error}", point.point.label());
        }
        let per_page = charge.price("page").unwrap().value / charged(machine.per_page) - 1.0;
        assert!(per_page.abs() < 0.01, "{per_page}");
    }
}

#[test]
fn convex_costs_are_covered_and_plain_least_squares_is_shown_to_miss() {
    let machine = Machine { curvature: 0.15, grown: vec![256, 1024], ..Machine::default() };
    let fit = fitted(&machine, 1);
    let model = model(&fit);
    for class in &fit.strategies[0].classes {
        assert!(model.covering.charge(&class.point) >= charged(class.cost.value) * 0.999_999, "{}", class.label());
    }
    assert!(model.covering.base.value > 0.0 && model.covering.price("grown").unwrap().low > 0.0);
    assert!(model.plain.worst.relative.abs() > 2.0 * model.relative.worst.relative.abs());
    assert!(model.plain.base().unwrap().value < 0.0);
}

#[test]
fn a_tier_takes_the_bend_out_of_the_small_sizes() {
    let machine = Machine { curvature: 0.3, levels: vec![1, 4, 16, 17, 64, 256, 1024], ..Machine::default() };
    let overcharge = |terms: Vec<&'static crate::experiment::Term>| {
        let settings = FitSettings { terms, ..quick(1) };
        let fit = fit(&machine.run(1), &settings, Some(&reference()), "fresh-map").unwrap();
        let class = fit.strategies[0].classes.iter().find(|class| class.point.initial_pages().0 == 17).unwrap();
        model(&fit).covering.charge(&class.point) / class.cost.value - 1.0
    };
    let tier = crate::experiment::page_beyond(17).unwrap();
    let (one, two) = (overcharge(vec![&PER_PAGE]), overcharge(vec![&PER_PAGE, tier]));
    assert!(one > 0.2 && two < 0.15, "{one} {two}");
}

/// A pool that keeps the first pages of a memory and gives the others back.
#[test]
fn a_cost_that_bends_where_the_price_does_is_no_poor_fit() {
    let machine = Machine {
        base: 60_000.0,
        per_page: 5_000.0,
        bend: (32, 8.0),
        levels: vec![1, 4, 8, 16, 32, 33, 64, 128],
        ..Machine::default()
    };
    let fitted = |terms: Vec<&'static crate::experiment::Term>| {
        let settings = FitSettings { terms, ..quick(1) };
        fit(&machine.run(1), &settings, Some(&reference()), "fresh-map").unwrap()
    };
    let straight = fitted(vec![&PER_PAGE]);
    assert!(matches!(straight.rejected[..], [Rejection::PoorFit { .. }]), "{:?}", straight.rejected);
    let bent = fitted(vec![&PER_PAGE, crate::experiment::page_beyond(32).unwrap()]);
    let line = &model(&bent).relative;
    let [page, beyond] = [1, 2].map(|at| line.coefficients[at].nanos.value / machine.per_page);
    assert!((page - 1.0).abs() < 0.1 && (beyond - 7.0).abs() < 0.3, "{page} {beyond}");
    let read: Fit = serde_json::from_str(&serde_json::to_string(&bent).unwrap()).unwrap();
    assert_eq!(
        model(&read).relative.coefficients[2].factor,
        line.coefficients[2].factor,
        "it is read back by its name"
    );
    let of_two = |fit: &Fit| {
        let others = &fit.strategies[0].model.as_ref().unwrap().alternatives;
        let worst =
            |terms: &[&'static crate::experiment::Term]| others.iter().find(|of| of.terms == terms).map(|of| of.worst);
        (worst(&[&PER_PAGE]).unwrap(), worst(&[&PER_PAGE, crate::experiment::page_beyond(32).unwrap()]))
    };
    let (alone, own) = of_two(&bent);
    assert!(own.is_some_and(|own| own < alone), "the chain's own terms are among the others: {own:?}, {alone}");
    assert_eq!(of_two(&straight).1, None);
}

/// A pool that keeps a page: a bend there would be the line over again, and no fit could be made.
#[test]
fn a_line_bends_only_where_levels_on_both_sides_can_tell() {
    let machine = Machine { levels: vec![1, 4, 8, 16, 64, 128], ..Machine::default() };
    for pages in [1, 64] {
        let settings =
            FitSettings { terms: vec![&PER_PAGE, crate::experiment::page_beyond(pages).unwrap()], ..quick(1) };
        let fit = fit(&machine.run(1), &settings, Some(&reference()), "fresh-map").unwrap();
        assert_eq!(model(&fit).relative.coefficients.len(), 2, "beyond {pages}: a base and a page");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let samples = Machine { grown: vec![1024], ..Machine::default() }.run(7);
    let bytes = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| serde_json::to_string(&fit(&samples, &quick(3), None, "fresh-map").unwrap()).unwrap())
    };
    let one = bytes(1);
    assert!(one == bytes(3));
    let read: Fit = serde_json::from_str(&one).unwrap();
    assert_eq!((read.format, read.strategies.len()), (FORMAT, 1));
}

#[test]
fn changes_are_detected_and_no_change_is_not() {
    const PAIRS: u64 = 40;
    let before = Machine { hour: 0.1, run_to_run: 0.003, stacks: vec![64 << 10], ..Machine::standard() };
    let after = Machine { base: before.base * 1.03, per_page: before.per_page * 1.03, ..before.clone() };
    let verdicts = |b: &Machine| -> Vec<Verdict> {
        let pair = |seed| {
            compare(&before.run(seed), &b.run(seed + PAIRS), Sides::TwoRuns, &quick(seed), 0.02)
                .unwrap()
                .overall
                .verdict
        };
        (0..PAIRS).into_par_iter().map(pair).collect()
    };
    let count = |verdicts: &[Verdict], wanted: &[Verdict]| verdicts.iter().filter(|v| wanted.contains(v)).count();
    let (changed, unchanged) = (verdicts(&after), verdicts(&before));
    assert!(count(&changed, &[Verdict::Slower]) >= 38, "{}", count(&changed, &[Verdict::Slower]));
    let alarms = count(&unchanged, &[Verdict::Slower, Verdict::Faster]);
    assert!(alarms == 0, "{alarms}");
    assert!(count(&unchanged, &[Verdict::Same]) >= 38, "{}", count(&unchanged, &[Verdict::Same]));
}

#[test]
fn costs_are_compared_relative_to_the_probe_unless_a_side_has_none() {
    let machine = Machine { drift: 0.3, noise: 0.02, ..Machine::default() };
    let compared = |a: &_| compare(a, &machine.run(2), Sides::TwoRuns, &quick(1), 0.02).unwrap().form;
    assert_eq!(compared(&machine.run(1)), Form::Reference);
    let probe = MEMORY.probe().unwrap();
    let without = machine.run(1).changed(|_, place, values| {
        values[probe] = 0;
        Some(place)
    });
    assert_eq!(compared(&without), Form::Measured);
    let fit = fit(&without, &quick(1), Some(&reference()), "fresh-map").unwrap();
    assert!(fit.reference.is_none() && model(&fit).measured.is_none());
    assert!(fit.strategies[0].classes.iter().all(|class| class.ratio.is_none() && class.cost == class.measured));
}

#[test]
fn a_run_without_a_reference_is_stated_on_its_own_time() {
    let machine = Machine { thief: 0.5, ..Machine::default() };
    let own = fit(&machine.run(1), &quick(1), None, "fresh-map").unwrap();
    assert!(own.reference.as_ref().is_some_and(Reference::is_own));
    let pinned = fitted(&machine, 1);
    let page = |fit: &Fit| model(fit).covering.price("page").unwrap().value / charged(machine.per_page);
    assert!((page(&own) / 1.5 - 1.0).abs() < 0.05 && (page(&pinned) - 1.0).abs() < 0.05);
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
