//! Accuracy and coverage against a simulated machine whose truth is known.

use rayon::prelude::*;

use super::simulated::{MEDIAN_LIFT, Machine};
use super::*;

const RUNS: u64 = 500;

fn quick(seed: u64) -> FitSettings {
    FitSettings { seed, resamples: Some(FitSettings::FEWEST_RESAMPLES), ..FitSettings::default() }
}

#[test]
fn explore() {
    for (name, machine) in [
        ("default", Machine::default()),
        ("no between", Machine { between: 0.0, ..Machine::default() }),
        ("big between", Machine { between: 0.05, ..Machine::default() }),
        ("5 processes", Machine { processes: 5, ..Machine::default() }),
    ] {
        let start = std::time::Instant::now();
        let rows: Vec<Vec<(bool, f64)>> = (0..RUNS)
            .into_par_iter()
            .map(|seed| {
                let fit = fit(&machine.run(seed), &quick(seed), "fresh-map").unwrap();
                let s = &fit.strategies[0];
                let mut row = Vec::new();
                for m in [s.absolute.as_ref().unwrap(), s.normalised.as_ref().unwrap()] {
                    // normalised truth: median/median
                    let lift = if row.is_empty() { MEDIAN_LIFT } else { 1.0 };
                    let (b, p) = (machine.base * lift, machine.per_page * lift);
                    let base = m.relative.coefficient(Factor::Base).unwrap();
                    let page = m.relative.coefficient(Factor::Page).unwrap();
                    row.push((base.holds(b), base.value / b));
                    row.push((page.holds(p), page.value / p));
                    row.push((m.covering.base.holds(b), m.covering.base.value / b));
                    row.push((m.covering.per_page.holds(p), m.covering.per_page.value / p));
                    row.push((p >= m.covering.per_page.low, m.covering.per_page.relative_half_width()));
                }
                row.push((
                    s.points[0].cost.holds((machine.base + machine.per_page) * MEDIAN_LIFT),
                    s.points[0].cost.relative_half_width(),
                ));
                row.push((
                    s.points[5].cost.holds(machine.cost(&s.points[5].point) * MEDIAN_LIFT),
                    s.points[5].cost.relative_half_width(),
                ));
                row
            })
            .collect();
        eprintln!("{name} {:?}", start.elapsed());
        for c in 0..rows[0].len() {
            let cover = rows.iter().filter(|r| r[c].0).count() as f64 / RUNS as f64;
            let mean = rows.iter().map(|r| r[c].1).sum::<f64>() / RUNS as f64;
            let sd = (rows.iter().map(|r| (r[c].1 - mean).powi(2)).sum::<f64>() / RUNS as f64).sqrt();
            eprintln!("  {c}: cover {cover:.3} mean {mean:.4} sd {sd:.4}");
        }
    }
}
