//! How the time of a fit grows with the samples: read from CSV and fitted, from ten thousand rows to a million.

use std::fmt::Write;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use estimator::experiment::memory::STACK_BYTES;
use estimator::experiment::{MEMORY, Point};
use estimator::measure::parse_samples;
use estimator::model::{FitSettings, fit};
use estimator::units::Pages;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const LEVELS: [u32; 12] = [1, 2, 4, 8, 16, 17, 32, 64, 128, 256, 512, 1024];
const STACKS: [u64; 4] = [16 << 10, 64 << 10, 256 << 10, 1 << 20];
const PROCESSES: usize = 16;

fn points() -> Vec<Point> {
    let point = |pages, stack| {
        Point::of_memory("touch-memory", &format!("pages{pages}-stack{stack}"), "fresh-map", Pages(pages))
            .with(&STACK_BYTES, stack)
    };
    LEVELS.iter().flat_map(|&pages| STACKS.map(|stack| point(pages, stack))).collect()
}

/// Rows of a run with 10 % noise over a base of 35 µs and 26 µs a page.
fn rows(count: usize) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut text = String::from("process,round,point,");
    text.push_str(&MEMORY.columns().collect::<Vec<_>>().join(","));
    text.push('\n');
    let points = points();
    let rounds = count.div_ceil(PROCESSES * points.len());
    for process in 0..PROCESSES {
        for round in 0..rounds {
            for (index, point) in points.iter().enumerate() {
                let pages = point.initial_pages().0;
                let noise = 1.0 + random.random_range(-0.1..0.1);
                let touch = f64::from(pages) * 25_000.0 * noise;
                let probe = 10_000.0 + f64::from(pages) * 25_000.0 * (1.0 + random.random_range(-0.1..0.1));
                // Writing to a `String` cannot fail.
                let _ = writeln!(
                    text,
                    "{process},{round},{index},{:.0},{touch:.0},{},{:.0},{probe:.0},{},0",
                    20_000.0 * noise,
                    pages * 100,
                    f64::from(15_000 + pages * 1_000) * noise,
                    pages * 16,
                );
            }
        }
    }
    text
}

fn fits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read and fit");
    group.sample_size(10);
    for count in [10_000, 100_000, 1_000_000] {
        let text = rows(count);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_with_input(BenchmarkId::from_parameter(count), &text, |b, text| {
            b.iter(|| {
                let read =
                    parse_samples(text.as_bytes(), Path::new("samples.csv"), &MEMORY, points()).expect("well-formed");
                fit(&read.samples, &FitSettings::default(), None, "fresh-map").expect("fits")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, fits);
criterion_main!(benches);
