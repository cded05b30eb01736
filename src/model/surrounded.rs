//! What surroundings add to small calls, estimated over all of them together.
//!
//! A small call after an unlike tenant takes 30 ms of measuring for its 100 µs, so each class has few cycles. But what it costs more than
//! after its like is the same work in all of them: code and data of kernel and runtime that have left the caches, and pages that
//! are cold when they are cleared. So the difference to the like class is taken as linear: a constant, so much a page, every byte of
//! which is written, so much where there is data to copy, and so much a page of data. That line stands for the differences of the single classes, in the
//! observation and in each resample: the reference machine's where it has one ([`Surcharge`]), however few the classes are; otherwise the
//! run's own, by least squares of relative errors, where they are enough to draw a line through.

use std::collections::BTreeMap;

use super::classes::{Class, Of, Resampled, classes, usual};
use super::grid::{Grid, strategies};
use super::student::t_quantile;
use super::surcharge::{HeldSurcharge, Surcharge, priced};
use super::together::{Member, Together};
use super::{FitSettings, ModelError, Reference};
use crate::experiment::conditions::WRITE_WIDTH;
use crate::experiment::{Experiment, Levels, Point, WriteWidth};
use crate::measure::Samples;

/// Most touched pages of a small call. Beyond, its own pages are what leaves the caches.
const MOST_PAGES: u32 = 32;

/// Puts the common line in the place of the single differences. `nanos` is what a ratio of 1 stands for in each class. Gives what the run found
/// of each of the `pinned` surcharges, those of its strategy.
pub(crate) fn estimate_together(
    experiment: &Experiment,
    classes: &[Class<'_>],
    nanos: &[f64],
    resampled: &mut Resampled,
    pinned: &[&Surcharge],
    confidence: f64,
) -> Vec<HeldSurcharge> {
    let mut held = Vec::new();
    for (met, members) in groups(experiment, classes) {
        let together = Together { experiment, classes, nanos, members };
        if let Some(pinned) = pinned.iter().find(|pinned| pinned.met == met) {
            let ratio = together.held_against(pinned, resampled, confidence);
            held.extend(ratio.map(|ratio| HeldSurcharge { met, ratio }));
            together.put(pinned, resampled);
        } else if let Some(line) = together.line(&resampled.logs) {
            line.smooth(resampled);
        }
    }
    held
}

/// What a run found of each surcharge, on a reference.
///
/// # Errors
/// [`ModelError`] if the samples allow no statistics.
pub fn surcharges(
    samples: &Samples,
    strategy: &str,
    reference: &Reference,
    settings: &FitSettings,
) -> Result<Vec<Surcharge>, ModelError> {
    let chosen = strategies(samples)?.remove(strategy).unwrap_or_default();
    let grid = Grid::new(samples, &chosen)?;
    let Some((place, probe)) = grid.probe().zip(grid.experiment.reference.as_ref()) else { return Ok(Vec::new()) };
    let classes = classes(grid.experiment, &grid.points);
    let nanos: Vec<f64> = classes.iter().map(|class| reference.of_point(probe, class.point)).collect();
    let resamples = settings.resamples_for(samples.len());
    let ratios = Resampled::new(&grid, &classes, Of::Ratio(place), settings, resamples)?;
    let found = groups(grid.experiment, &classes).into_iter().filter_map(|(met, members)| {
        let together = Together { experiment: grid.experiment, classes: &classes, nanos: &nanos, members };
        let line = together.line(&ratios.logs)?;
        let prices = line.prices(&ratios.logs);
        let all = |logs: &[f64]| {
            let prices = line.prices(logs);
            together.members.iter().map(|of| priced(prices, classes[of.class].point)).sum::<f64>()
        };
        let error = ratios.error(ratios.replicates.iter().map(|logs| all(logs)));
        let half_width = error * t_quantile(0.95, ratios.freedom) / all(&ratios.logs).abs();
        Some(Surcharge::priced(strategy, met, prices, half_width))
    });
    Ok(found.collect())
}

fn groups(experiment: &Experiment, classes: &[Class<'_>]) -> BTreeMap<Levels, Vec<Member>> {
    let known: BTreeMap<Point, usize> = (classes.iter().enumerate())
        .filter(|(_, class)| class.point.is_undisturbed())
        .map(|(at, class)| (usual(experiment, class.point), at))
        .collect();
    let mut groups: BTreeMap<Levels, Vec<Member>> = BTreeMap::new();
    for (class, point) in classes.iter().map(|class| class.point).enumerate() {
        let met = point.without(&[&WRITE_WIDTH]).levels.surroundings();
        // Runs of earlier versions have such calls that write a byte to each host page too.
        let dearest = point.write_width() == WriteWidth::EveryByte;
        if met == Levels::default() || point.touched_pages().0 > MOST_PAGES || !dearest {
            continue;
        }
        if let Some(&usual) = known.get(&usual(experiment, point)) {
            groups.entry(met).or_default().push(Member { class, usual });
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MEMORY;
    use crate::experiment::Previous;
    use crate::experiment::conditions::PREVIOUS;
    use crate::experiment::memory::DATA_BYTES;
    use crate::units::{Pages, WASM_PAGE};

    /// Five sizes after their like and after an unlike tenant, which adds 70 and 7 a page, and 15 where there is data.
    fn points() -> Vec<(Point, f64)> {
        let mut points = Vec::new();
        for (pages, data) in [(1, 0), (2, 0), (4, 0), (17, 0), (1, 9), (4, 9)] {
            let cost = 60.0 + 25.0 * f64::from(pages);
            let point = Point::of_memory("a", &format!("{pages}-{data}"), "s", Pages(pages)).with(&DATA_BYTES, data);
            let added = 70.0 + 7.0 * f64::from(pages) + if data > 0 { 15.0 } else { 0.0 };
            points.push((point.clone(), cost));
            let met = point.with(&PREVIOUS, Previous::Dirty as u64);
            points.push((met.with(&WRITE_WIDTH, WriteWidth::EveryByte as u64), cost + added));
        }
        points
    }

    fn resampled(points: &[(Point, f64)], noise: impl Fn(usize) -> f64) -> Resampled {
        let logs: Vec<f64> = points.iter().enumerate().map(|(at, (_, cost))| (cost * noise(at)).ln()).collect();
        Resampled {
            replicates: vec![logs.clone()],
            logs,
            pinned: vec![0.0; points.len()],
            freedom: 7.0,
            correction: 1.0,
        }
    }

    fn smoothed(noise: impl Fn(usize) -> f64) -> (Vec<(Point, f64)>, Resampled) {
        let (points, resampled, _) = held(noise, &[]);
        (points, resampled)
    }

    fn held(noise: impl Fn(usize) -> f64, pinned: &[&Surcharge]) -> (Vec<(Point, f64)>, Resampled, Vec<HeldSurcharge>) {
        held_of(points(), noise, pinned)
    }

    fn held_of(
        points: Vec<(Point, f64)>,
        noise: impl Fn(usize) -> f64,
        pinned: &[&Surcharge],
    ) -> (Vec<(Point, f64)>, Resampled, Vec<HeldSurcharge>) {
        let classes: Vec<Class<'_>> =
            (points.iter().enumerate()).map(|(at, (point, _))| Class { point, rows: vec![at] }).collect();
        let mut resampled = resampled(&points, noise);
        let held = estimate_together(&MEMORY, &classes, &vec![1.0; points.len()], &mut resampled, pinned, 0.95);
        drop(classes);
        (points, resampled, held)
    }

    #[test]
    fn a_pinned_line_stands_for_what_a_noisy_run_found_and_is_held_against_it() {
        let met = Levels::default().with(&PREVIOUS, Previous::Dirty as u64);
        let pinned = Surcharge::priced("s", met.clone(), [70.0, 7.0, 15.0, 0.0], 0.1);
        // After an unlike tenant everything takes a tenth more than it should.
        let (points, resampled, held) = held(|at| if at % 2 == 1 { 1.1 } else { 1.0 }, &[&pinned]);
        for ((point, cost), log) in points.iter().zip(&resampled.logs) {
            assert!((log.exp() / cost - 1.0).abs() < 1e-9, "{}", point.label());
        }
        assert_eq!(held.len(), 1);
        assert!(held[0].met == met && (held[0].ratio.value - 1.1).abs() < 1e-9, "{held:?}");
        // One page takes 162, of which 77 are known to a tenth.
        assert!((resampled.pinned[1] - 0.05 * 77.0 / 162.0).abs() < 1e-9 && resampled.pinned[0] == 0.0);
    }

    /// A chain whose largest memory is a page, and one with a single contract of its own: too few for a line, which a pinned one needs not.
    #[test]
    fn a_pinned_line_holds_for_as_few_classes_as_there_are() {
        let pinned = Surcharge::priced(
            "s",
            Levels::default().with(&PREVIOUS, Previous::Dirty as u64),
            [70.0, 7.0, 15.0, 0.0],
            0.1,
        );
        let few: Vec<(Point, f64)> = points().into_iter().take(2).collect();
        let (points, resampled, held) = held_of(few, |at| if at == 1 { 1.3 } else { 1.0 }, &[&pinned]);
        assert!((resampled.logs[1].exp() / points[1].1 - 1.0).abs() < 1e-9, "{}", resampled.logs[1].exp());
        let [HeldSurcharge { ratio, .. }] = &held[..] else { panic!("it is held against the run: {held:?}") };
        assert!((ratio.value - 1.3).abs() < 1e-9 && ratio.is_finite(), "{ratio:?}");
    }

    #[test]
    fn a_class_without_a_cost_takes_the_pinned_line_from_none_of_the_others() {
        let pinned = Surcharge::priced(
            "s",
            Levels::default().with(&PREVIOUS, Previous::Dirty as u64),
            [70.0, 7.0, 15.0, 0.0],
            0.1,
        );
        let noise = |at: usize| if at == 2 { -1.0 } else { 1.0 + 0.1 * f64::from(u8::from(at % 2 == 1)) };
        let (points, resampled, held) = held(noise, &[&pinned]);
        for (at, (point, cost)) in points.iter().enumerate().filter(|(at, _)| *at != 2 && *at != 3) {
            assert!((resampled.logs[at].exp() / cost - 1.0).abs() < 1e-9, "{}", point.label());
        }
        // The class whose usual one is unknown stays as it was found, and the mean is over the five others.
        assert!((resampled.logs[3].exp() / points[3].1 - 1.1).abs() < 1e-9);
        assert!(held[0].ratio.is_finite() && (held[0].ratio.value - 1.1).abs() < 1e-9, "{held:?}");
    }

    #[test]
    fn differences_that_lie_on_a_line_stay_as_they_are() {
        let (points, resampled) = smoothed(|_| 1.0);
        for ((point, cost), log) in points.iter().zip(&resampled.logs) {
            assert!((log.exp() / cost - 1.0).abs() < 1e-9, "{}", point.label());
        }
    }

    /// A pool that keeps 1 MiB resident took 850 µs of a contract with 17 pages of data after an unlike tenant, and charged 283.
    #[test]
    fn what_each_page_of_data_takes_is_charged_by_the_page() {
        let mut points = points();
        let full = Point::of_memory("a", "full", "s", Pages(17)).with(&DATA_BYTES, 17 * WASM_PAGE);
        points.push((full.clone(), 485.0));
        let met = full.with(&PREVIOUS, Previous::Dirty as u64).with(&WRITE_WIDTH, WriteWidth::EveryByte as u64);
        points.push((met, 485.0 + 70.0 + 7.0 * 17.0 + 15.0 + 20.0 * 17.0));
        let (points, resampled, _) = held_of(points, |_| 1.0, &[]);
        for ((point, cost), log) in points.iter().zip(&resampled.logs) {
            assert!((log.exp() / cost - 1.0).abs() < 1e-4, "{}: {}", point.label(), log.exp() / cost);
        }
    }

    /// The fit of a run beside a neighbour that faults never ended.
    #[test]
    fn a_class_without_a_cost_leaves_the_differences_as_they_are() {
        let (_, resampled) = smoothed(|at| if at == 3 { -1.0 } else { 1.0 });
        assert!(resampled.logs[3].is_nan());
        assert_eq!(resampled.logs.iter().filter(|log| log.is_nan()).count(), 1);
    }

    #[test]
    fn the_noise_of_one_class_is_shared_and_those_of_the_usual_surroundings_are_left_alone() {
        let (points, resampled) = smoothed(|at| if at == 3 { 1.2 } else { 1.0 });
        let off = |at: usize| resampled.logs[at].exp() / points[at].1 - 1.0;
        assert!(off(3) < 0.12 && off(3) > 0.0, "{}", off(3));
        assert!(off(2).abs() < 1e-12);
        assert_eq!(resampled.logs, resampled.replicates[0]);
    }
}
