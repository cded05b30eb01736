//! A simulated machine for tests: samples whose truth is known.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use std::collections::BTreeMap;

use super::{Estimate, FitSettings, ProbeTime, Reference, Surcharge};
use crate::experiment::conditions::{PREVIOUS, WRITE_WIDTH};
use crate::experiment::memory::{STACK_BYTES, TOUCHED_PAGES};
use crate::experiment::{Levels, MEMORY, Point, Previous, WriteWidth};
use crate::measure::{Place, Samples};
use crate::units::{Bytes, Pages};

/// A machine whose costs are a line, disturbed in known ways.
#[derive(Clone)]
pub(crate) struct Machine {
    pub(crate) base: f64,
    pub(crate) per_page: f64,
    /// Cost of each untouched 64 KiB of stack.
    pub(crate) per_stack: f64,
    /// Additional cost of the square of the pages, relative to the line at 1024 pages.
    pub(crate) curvature: f64,
    /// How many pages cost as little as `per_page`, and how many times that those beyond cost.
    pub(crate) bend: (u32, f64),
    /// Standard deviation of the cost's logarithm from cycle to cycle.
    pub(crate) noise: f64,
    /// Change of speed along the run, of cycles and probes alike, centred on the run.
    pub(crate) drift: f64,
    /// A wave of speed over the run, on top: how far it swings to each side.
    pub(crate) wave: f64,
    /// Share of cycles and probes that take ten times as long.
    pub(crate) outliers: f64,
    /// Standard deviation between processes, half shared by all points and probes, half by a point's cycles alone.
    pub(crate) between: f64,
    /// Standard deviation of what a run moves cycles and probes alike by, as a machine or its steady neighbour does.
    pub(crate) hour: f64,
    /// Standard deviation of what a run moves a class by, whatever its probes; twice as much at 1 and 2 pages, whose instantiation
    /// moves most.
    pub(crate) run_to_run: f64,
    /// Standard deviation of what a run moves all classes alike by, whatever their probes.
    pub(crate) common: f64,
    /// How much slower a steady thief of bandwidth makes cycles and probes: 0.5 is half as long again.
    pub(crate) thief: f64,
    /// Preemptions a second of a cycle or a probe, each of which takes 1 to 8 ms.
    pub(crate) preempted: f64,
    /// What a small call costs more after an unlike tenant: each call, and each page.
    pub(crate) surcharge: (f64, f64),
    /// Standard deviation by which the surcharge of a round moves, as the neighbours do.
    pub(crate) mood: f64,
    /// Standard deviation by which the surcharge of a run moves.
    pub(crate) mood_of_run: f64,
    /// Levels at which small calls come after an unlike tenant too.
    pub(crate) after: Vec<u32>,
    pub(crate) levels: Vec<u32>,
    pub(crate) stacks: Vec<u64>,
    pub(crate) grown: Vec<u32>,
    pub(crate) processes: u32,
    pub(crate) rounds: u32,
    /// Small points repeat within a round, as often as they touch so many pages together, but not more than 32 times.
    pub(crate) together: u32,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            base: 40_000.0,
            per_page: 28_000.0,
            per_stack: 0.0,
            curvature: 0.0,
            bend: (u32::MAX, 1.0),
            noise: 0.1,
            drift: 0.1,
            wave: 0.0,
            outliers: 0.01,
            between: 0.01,
            hour: 0.0,
            run_to_run: 0.0,
            common: 0.0,
            thief: 0.0,
            preempted: 0.0,
            surcharge: (60_000.0, 7_000.0),
            mood: 0.08,
            mood_of_run: 0.0,
            after: Vec::new(),
            levels: vec![1, 4, 17, 64, 256, 1024],
            stacks: vec![64 << 10],
            grown: Vec::new(),
            processes: 8,
            rounds: 12,
            together: 1,
        }
    }
}

/// What the probe of a size takes on the simulated reference machine, and on the machine itself but for what disturbs it.
fn probe(touched_pages: u32) -> f64 {
    30_000.0 + 25_000.0 * f64::from(touched_pages)
}

/// The simulated reference machine: some of its levels are not those of the machines that are stated on it.
pub(crate) fn reference() -> Reference {
    let time = |pages: u32| {
        let nanos = probe(pages);
        let nanos = Estimate { value: nanos, low: nanos, high: nanos };
        ProbeTime { touched_pages: Pages(pages), data_bytes: Bytes(0), nanos }
    };
    Reference { name: "simulated".into(), probes: [1, 3, 16, 64, 300, 1024].map(time).into(), surcharges: Vec::new() }
}

/// Runs in simulations that take long: `ESTIMATOR_SIMULATED_RUNS=500` takes a minute or so for each of them. Without it they are of a small
/// machine, or few.
pub(super) fn simulated_runs() -> Option<u64> {
    Some(std::env::var("ESTIMATOR_SIMULATED_RUNS").ok()?.parse().unwrap())
}

/// Settings with as few resamples as are taken.
pub(super) fn quick(seed: u64) -> FitSettings {
    FitSettings { seed, resamples: Some(FitSettings::FEWEST_RESAMPLES), ..FitSettings::default() }
}

impl Machine {
    /// The grid, the repeats, and the rounds of a run by the `standard` profile.
    pub(super) fn standard() -> Self {
        Self {
            levels: vec![1, 2, 4, 8, 16, 17, 32, 64, 128, 256, 512, 1024],
            stacks: vec![16 << 10, 64 << 10, 256 << 10, 1 << 20],
            grown: vec![17, 64, 256, 1024],
            together: 512,
            processes: 16,
            rounds: 5,
            noise: 0.05,
            ..Self::default()
        }
    }

    /// The same beside neighbours: large cycles are preempted, a program steals bandwidth all the time, and the hour makes a difference.
    pub(super) fn beside_neighbours(self) -> Self {
        Self { hour: 0.05, run_to_run: 0.01, thief: 0.3, preempted: 1.0, noise: 0.05, ..self }
    }

    fn points(&self) -> Vec<Point> {
        let point = |initial: u32, touched: u32, stack: u64| {
            Point::of_memory("simulated", &format!("pages{initial}-stack{}", Bytes(stack)), "fresh-map", Pages(initial))
                .with(&TOUCHED_PAGES, touched.into())
                .with(&STACK_BYTES, stack)
        };
        let fits = |pages: u32, stack: u64| Pages(pages).bytes().0 >= stack;
        let still = self.levels.iter().flat_map(|&pages| {
            self.stacks.iter().filter(move |&&stack| fits(pages, stack)).map(move |&stack| point(pages, pages, stack))
        });
        let after = |&pages: &u32| {
            let met = point(pages, pages, 16 << 10).with(&PREVIOUS, Previous::Dirty as u64);
            met.with(&WRITE_WIDTH, WriteWidth::EveryByte as u64)
        };
        let grown = self.grown.iter().map(|&pages| point(1, pages, 16 << 10));
        still.chain(grown).chain(self.after.iter().map(after)).collect()
    }

    /// The undisturbed cost of a point.
    #[expect(clippy::cast_precision_loss, reason = "a stack is small")]
    pub(crate) fn cost(&self, point: &Point) -> f64 {
        let pages = f64::from(point.touched_pages().0);
        let beyond = f64::from(point.touched_pages().0.saturating_sub(self.bend.0));
        let line = self.base + self.per_page * (pages + beyond * (self.bend.1 - 1.0));
        let stack = self.per_stack * point.stack_bytes().0 as f64 / 65_536.0;
        line * (1.0 + self.curvature * pages / 1024.0) + stack + self.added(point)
    }

    /// What its surroundings add to it.
    fn added(&self, point: &Point) -> f64 {
        let (call, page) = self.surcharge;
        let added = call + page * f64::from(point.touched_pages().0);
        if point.previous() == Previous::Dirty { added } else { 0.0 }
    }

    /// What a reference that was pinned here knows of it.
    pub(crate) fn pinned(&self) -> Surcharge {
        let met = Levels::default().with(&PREVIOUS, Previous::Dirty as u64);
        Surcharge::priced("fresh-map", met, [self.surcharge.0, self.surcharge.1, 0.0, 0.0], 0.0)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "costs are positive and below 2^53")]
    pub(crate) fn run(&self, seed: u64) -> Samples {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let points = self.points();
        let mut samples = Samples::of(&MEMORY, points.clone());
        let total = f64::from(self.processes * self.rounds);
        let share = self.between * 0.5_f64.sqrt();
        let hour = self.hour * normal(&mut random) + self.thief.ln_1p();
        let mut of_run: BTreeMap<(Pages, Pages), f64> = BTreeMap::new();
        for point in &points {
            let size = (point.initial_pages(), point.touched_pages());
            let most = if size.1.0 <= 2 { 2.0 } else { 1.0 } * self.run_to_run;
            of_run.entry(size).or_insert_with(|| most * normal(&mut random));
        }
        // A stream of its own, so that a machine without it is the same one.
        let mut further = ChaCha8Rng::seed_from_u64(seed);
        further.set_stream(1);
        let of_all = self.common * normal(&mut further);
        let mood_of_run = self.mood_of_run * normal(&mut further);
        for process in 0..self.processes {
            let common = share * normal(&mut random);
            let own: Vec<f64> = points.iter().map(|_| share * normal(&mut random)).collect();
            for round in 0..self.rounds {
                let time = (f64::from(process * self.rounds + round) + 0.5) / total - 0.5;
                let pace = hour + common + self.drift * time + self.wave * (3.0 * std::f64::consts::TAU * time).sin();
                let mood = (self.mood * normal(&mut random) + mood_of_run).exp_m1();
                let order = (0u32..).zip(&points).flat_map(|(index, point)| {
                    let repeats = (self.together / point.touched_pages().0).clamp(1, 32);
                    let repeats = if point.is_undisturbed() { repeats } else { 1 };
                    std::iter::repeat_n((index, point), repeats as usize)
                });
                for (order, (index, point)) in (0..).zip(order) {
                    let mut disturbed = |time: f64, own: f64| {
                        let slow = if random.random_bool(self.outliers) { 10.0 } else { 1.0 };
                        let time = time * (pace + own + self.noise * normal(&mut random)).exp() * slow;
                        let hit = random.random_bool((self.preempted * time / 1e9).min(1.0));
                        time + if hit { random.random_range(1e6..8e6) } else { 0.0 }
                    };
                    let of_class = of_run[&(point.initial_pages(), point.touched_pages())] + of_all;
                    let cost = disturbed(self.cost(point) + mood * self.added(point), own[index as usize] + of_class);
                    let probe = disturbed(probe(point.touched_pages().0), 0.0);
                    let warm = (cost * 0.05) as u64;
                    let (instantiate, reset) = ((cost * 0.1) as u64, (cost * 0.2) as u64);
                    let touch = cost as u64 + warm - instantiate - reset;
                    let faults = point.touched_pages().host_pages();
                    samples.push(
                        Place { process, round, order, point: index },
                        &[instantiate, touch, warm, reset, probe as u64, faults, 0],
                    );
                }
            }
        }
        samples
    }
}

/// A standard normal number (Box and Muller).
pub(super) fn normal(random: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}
