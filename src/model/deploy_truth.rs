//! Deployments and loads of bytes whose prices are known: what the fit finds of them, and of what is no sum of its parts.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{Fit, FitSettings, Model, Reference, fit};
use crate::contract::{Artifact, Limits, deploy_levels, load_levels, made_to_deploy, made_to_load};
use crate::experiment::declared::{ARTIFACT_BYTES, CODE_BYTES, FUNCTIONS, TYPES, WORST_MIX};
use crate::experiment::deploy::{CRANELIFT, HOSTILE, VALIDATE, WINCH};
use crate::experiment::load::LOAD_MEMORY;
use crate::experiment::{Experiment, Levels, Point};
use crate::measure::{Place, Samples};
use crate::units::Pages;

const LIMITS: Limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };

/// An experiment with what it costs: the base, then each term in its order.
struct Truth {
    experiment: &'static Experiment,
    base: f64,
    prices: &'static [f64],
    /// How many times its sum what is made of what takes longest costs.
    worst: f64,
}

const TRUE_VALIDATE: Truth = Truth {
    experiment: &VALIDATE,
    base: 20_000.0,
    prices: &[
        12_000.0, 20.0, 4.0, 25.0, 30.0, 15.0, 130.0, 30.0, 1.0, 700.0, 20.0, 120.0, 100.0, 100.0, 16.0, 7_000.0, 5.0,
        28.0, 5.0, 1_000.0, 50.0, 20.0,
    ],
    worst: 1.2,
};

const COMPILED: &[f64] = &[
    4e5, 1_500.0, 150.0, 900.0, 1_000.0, 2_000.0, 20_000.0, 90_000.0, 3_000.0, 78_000.0, 500.0, 300.0, 500.0, 300.0,
    20.0, 5_000.0, 55.0, 20.0, 1_100.0, 150_000.0, 100.0, 30_000.0,
];

const TRUE_CRANELIFT: Truth = Truth { experiment: &CRANELIFT, base: 240_000.0, prices: COMPILED, worst: 5.0 };
const TRUE_WINCH: Truth = Truth { experiment: &WINCH, base: 200_000.0, prices: COMPILED, worst: 1.0 };

const TRUE_MEMORY: Truth = Truth {
    experiment: &LOAD_MEMORY,
    base: 40_000.0,
    prices: &[76.0, 1_000.0, 12.0, 43.0, 160.0, 140.0, 2.0, 700.0, 450.0, 6_000.0, 1_400.0],
    worst: 1.0,
};

impl Truth {
    fn cost(&self, point: &Point) -> f64 {
        assert_eq!(self.experiment.terms.len(), self.prices.len());
        let terms = self.experiment.terms.iter().zip(self.prices).map(|(term, price)| price * term.level(point));
        let times = if point.level(&WORST_MIX) > 0 { self.worst } else { 1.0 };
        (self.base + terms.sum::<f64>()) * times
    }

    fn points(&self) -> Vec<Point> {
        let (made, levels): (_, fn(&Artifact) -> Levels) = if self.experiment == &LOAD_MEMORY {
            (made_to_load(LIMITS), |made| {
                let levels = load_levels(&made.wasm).unwrap();
                let of = |factor, bytes| levels.get(factor) * bytes;
                let bytes = 14_000 + of(&FUNCTIONS, 150) + of(&TYPES, 200) + of(&CODE_BYTES, 3);
                levels.with(&ARTIFACT_BYTES, bytes)
            })
        } else {
            (made_to_deploy(LIMITS), |made| {
                deploy_levels(&made.wasm).unwrap().with(&WORST_MIX, u64::from(made.contract == HOSTILE))
            })
        };
        let point = |made: &Artifact| Point {
            contract: made.contract.clone(),
            variant: made.variant.clone(),
            strategy: "fresh-map".into(),
            levels: levels(made),
        };
        made.unwrap().iter().map(point).collect()
    }

    /// From six processes of four rounds, whose cycles vary by 2 %.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "costs are positive and below 2^53")]
    fn fitted(&self) -> Fit {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut samples = Samples::of(self.experiment, self.points());
        for (process, round) in (0..6).flat_map(|process| (0..4).map(move |round| (process, round))) {
            for point in 0..u32::try_from(samples.points.len()).unwrap() {
                let time = self.cost(&samples.points[point as usize]) * random.random_range(0.98..1.02);
                let mut values = vec![0; self.experiment.values()];
                values[0] = time as u64;
                values[self.experiment.probe().unwrap()] = 50_000;
                samples.push(Place { process, round, order: point, point }, &values);
            }
        }
        let settings =
            FitSettings { terms: self.experiment.terms.to_vec(), resamples: Some(200), ..FitSettings::default() };
        let own = Reference::of_run(&samples, "fresh-map").unwrap();
        fit(&samples, &settings, Some(&own), "fresh-map").unwrap()
    }
}

fn model(fit: &Fit) -> &Model {
    assert_eq!(fit.rejected, [], "{:?}", fit.rejected);
    fit.strategies[0].model.as_ref().unwrap()
}

/// The factors of the modules that are made can be told apart, and no mixed one is undercharged by a fit of the others.
#[test]
fn every_experiment_on_what_a_module_declares_finds_its_prices() {
    for truth in [TRUE_VALIDATE, TRUE_WINCH, TRUE_MEMORY] {
        let fit = truth.fitted();
        let (model, name) = (model(&fit), truth.experiment.name);
        let points = truth.points();
        for ((regressor, term), price) in truth.experiment.line.iter().zip(truth.experiment.terms).zip(truth.prices) {
            let most = points.iter().map(|point| term.level(point) / truth.cost(point)).fold(0.0, f64::max);
            let found = model.relative.coefficient(regressor).unwrap();
            assert!((found.value - price).abs() * most < 0.05, "{name}, {}: {found:?}, not {price}", term.name);
        }
        for point in &points {
            assert!(model.covering.charge(point) >= truth.cost(point), "{name}: {}", point.label());
        }
        let held_out = model.held_out.as_ref().unwrap();
        assert!((held_out.slope.value - 1.0).abs() < 0.02 && held_out.undercharged.is_empty(), "{name}: {held_out:?}");
    }
}

#[test]
fn the_charge_covers_the_worst_mix_and_that_of_the_usual_one_is_told_beside() {
    let fit = TRUE_CRANELIFT.fitted();
    let model = model(&fit);
    let usual = model.alternatives.iter().find(|of| of.of_line).unwrap();
    assert_eq!(usual.words(&CRANELIFT), "every factor, the usual mix alone");
    for point in TRUE_CRANELIFT.points() {
        let cost = TRUE_CRANELIFT.cost(&point);
        let [usual, worst] = [usual.charge(&point), model.covering.charge(&point)].map(|charge| charge / cost);
        assert!(worst >= 1.0, "{}: {worst}", point.label());
        if point.contract == HOSTILE {
            assert!(usual < 0.6, "{}: {usual}", point.label());
        } else {
            assert!((1.0..1.3).contains(&usual), "{}: {usual}", point.label());
        }
    }
    let loading = TRUE_MEMORY.fitted();
    assert!(loading.strategies[0].model.as_ref().unwrap().alternatives.iter().all(|of| !of.of_line));
}
