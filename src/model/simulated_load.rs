//! Simulated loads whose prices are known.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::simulated::normal;
use super::{Estimate, FitSettings, ProbeTime, Reference};
use crate::contract::{Artifact, Limits, load_levels, made_to_load};
use crate::experiment::{LOAD, Point};
use crate::measure::{Place, Samples};
use crate::units::{Bytes, Pages};

/// What every load costs, in nanoseconds.
pub(super) const BASE: f64 = 40_000.0;
/// In the order of the terms.
pub(super) const PRICES: [f64; 10] = [40.0, 900.0, 40.0, 550.0, 140.0, 15.0, 700.0, 25.0, 6_000.0, 200.0];
/// What the probe takes beside a load that leaves it alone, and on the reference machine.
const PROBE: f64 = 50_000.0;

/// A machine that loads modules at these prices, disturbed in known ways.
#[derive(Clone)]
pub(super) struct Loader {
    /// How many times as long everything takes, probes too.
    pub(super) slow: f64,
    /// How many times as long loads take, and no probes.
    pub(super) moved: f64,
    /// Standard deviation of what a run moves all loads alike by, whatever the probes.
    pub(super) common: f64,
    /// The same of each module by itself.
    pub(super) class: f64,
    /// What share of a load's time the probe beside it takes longer.
    pub(super) slows_probe: f64,
    pub(super) processes: u32,
    pub(super) rounds: u32,
}

impl Default for Loader {
    fn default() -> Self {
        Self { slow: 1.0, moved: 1.0, common: 0.0, class: 0.0, slows_probe: 0.0, processes: 8, rounds: 6 }
    }
}

/// The modules that a run measures.
pub(super) fn points() -> Vec<Point> {
    let limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };
    let point = |made: &Artifact| Point {
        contract: made.contract.clone(),
        variant: made.variant.clone(),
        strategy: "fresh-map".into(),
        levels: load_levels(&made.wasm).unwrap(),
    };
    made_to_load(limits).unwrap().iter().map(point).collect()
}

/// What a module costs on the reference machine.
pub(super) fn cost(point: &Point) -> f64 {
    BASE + LOAD.terms.iter().zip(PRICES).map(|(term, price)| price * term.level(point)).sum::<f64>()
}

pub(super) fn reference() -> Reference {
    let nanos = Estimate { value: PROBE, low: PROBE, high: PROBE };
    let probe = ProbeTime { touched_pages: Pages(1), data_bytes: Bytes(0), nanos };
    Reference { name: "simulated".into(), probes: vec![probe], surcharges: Vec::new() }
}

/// Those of a chain that charges for all terms.
pub(super) fn settings(seed: u64) -> FitSettings {
    FitSettings { terms: LOAD.terms.to_vec(), ..super::simulated::quick(seed) }
}

impl Loader {
    /// Cycles vary by 2 %, and a module by half a percent from process to process.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times are positive and below 2^53")]
    pub(super) fn run(&self, points: &[Point], seed: u64) -> Samples {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut samples = Samples::of(&LOAD, points.to_vec());
        let of_all = self.common * normal(&mut random) + self.moved.ln();
        let of_run: Vec<f64> = points.iter().map(|_| of_all + self.class * normal(&mut random)).collect();
        for process in 0..self.processes {
            let own: Vec<f64> = of_run.iter().map(|moved| moved + 0.005 * normal(&mut random)).collect();
            for (round, (point, moved)) in (0..self.rounds)
                .flat_map(|round| own.iter().zip(0..).map(move |(moved, point)| (round, (point, moved))))
            {
                let time = self.slow * cost(&points[point as usize]) * (moved + 0.02 * normal(&mut random)).exp();
                let probe = self.slow * PROBE * (0.02 * normal(&mut random)).exp() + self.slows_probe * time;
                // Whatever a reset takes, nobody pays it here.
                let phases = [time * 0.7, time * 0.05, time * 0.15, 9_000.0, time * 0.1, probe].map(|time| time as u64);
                let values: Vec<u64> = phases.into_iter().chain([40, 0]).collect();
                samples.push(Place { process, round, order: point, point }, &values);
            }
        }
        samples
    }
}
