//! What two sides counted at each point.

use serde::{Deserialize, Serialize};

use super::bootstrap::Bootstrap;
use super::difference::{Known, Level, Verdict};
use super::form::series;
use super::grid::Grid;
use super::statistic::as_ns;
use super::{Estimate, FitSettings, ModelError};
use crate::experiment::{Count, Counter};
use crate::measure::Sample;

/// A counter of two sides at one design point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterComparison {
    /// Name of the counter.
    pub counter: String,
    /// The statistic of A, in what the counter counts.
    pub a: Estimate,
    /// The same of B.
    pub b: Estimate,
    /// p-value that both are the same.
    pub p_value: f64,
    /// The verdict; less is faster.
    pub verdict: Verdict,
}

/// For each point its counters, but for preemptions, which are the machine's.
pub(crate) fn counted(
    a: &Grid<'_>,
    b: &Grid<'_>,
    settings: &FitSettings,
    threshold: f64,
) -> Result<Vec<Vec<CounterComparison>>, ModelError> {
    let mut found = vec![Vec::new(); a.points.len()];
    let counters = a.experiment.counters.iter().enumerate();
    for (index, counter) in counters.filter(|(_, counter)| counter.count != Count::InvoluntarySwitches) {
        let value = a.experiment.counter(index);
        let (levels_a, levels_b) = (levels(a, value, settings)?, levels(b, value, settings)?);
        for ((found, a), b) in found.iter_mut().zip(&levels_a).zip(&levels_b) {
            found.push(CounterComparison::of(counter, a, b, settings.confidence, threshold));
        }
    }
    Ok(found)
}

/// The statistic of a counter at each point.
fn levels(grid: &Grid<'_>, value: usize, settings: &FitSettings) -> Result<Vec<Level>, ModelError> {
    let always = |cycles: &Vec<(Sample<'_>, u32)>| {
        let first = cycles.first().map(|(sample, _)| sample.values[value])?;
        cycles.iter().all(|(sample, _)| sample.values[value] == first).then_some(as_ns(first))
    };
    // Most counts never vary, and resampling them takes as long as resampling times.
    let constant: Option<Vec<f64>> = grid.cycles.iter().map(always).collect();
    if let Some(constant) = constant {
        let certain = Known { error: 0.0, freedom: 1.0, between_runs: 0.0 };
        return Ok(constant.into_iter().map(|value| Level { value, errors: vec![certain] }).collect());
    }
    let resamples = settings.resamples_for(grid.cycles.iter().map(Vec::len).sum());
    let series = series(grid, settings.statistic, |_, sample| as_ns(sample.values[value]));
    // A drift is one of the machine's speed, which no count has.
    let bootstrap = Bootstrap::new(grid, &series, None, settings, resamples)?;
    let mut levels: Vec<Level> = bootstrap.observed.iter().map(|&value| Level { value, errors: Vec::new() }).collect();
    for resampled in bootstrap.levels() {
        for (level, (_, error)) in levels.iter_mut().zip(resampled.moments(&<[f64]>::to_vec)) {
            level.errors.push(Known { error, freedom: resampled.freedom, between_runs: 0.0 });
        }
    }
    Ok(levels)
}

impl CounterComparison {
    fn of(counter: &Counter, a: &Level, b: &Level, confidence: f64, threshold: f64) -> Self {
        let (difference, p_value) = a.to(b, confidence);
        let verdict = if a.value > 0.0 {
            let ratio = difference.scaled(1.0 / a.value);
            Verdict::on(Estimate { value: ratio.value + 1.0, low: ratio.low + 1.0, high: ratio.high + 1.0 }, threshold)
        } else if difference.low > 0.0 {
            Verdict::Slower
        } else if difference.high <= 0.0 {
            Verdict::Same
        } else {
            Verdict::Unsure
        };
        Self { counter: counter.name.into(), a: a.alone(confidence), b: b.alone(confidence), p_value, verdict }
    }

    /// How many times as many there are in B; infinite where A has none.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let ratio = self.b.value / self.a.value;
        if ratio.is_nan() { 1.0 } else { ratio }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{MEMORY, Point};
    use crate::measure::{Place, Samples};
    use crate::model::{Sides, compare};
    use crate::units::Pages;

    /// Two points; `faults` of each process and cycle of the first, the second has 16.
    fn run(faults: impl Fn(u32, u32) -> u64) -> Samples {
        let point = |pages| Point::of_memory("touch", "v", "fresh-map", Pages(pages));
        let mut samples = Samples::of(&MEMORY, vec![point(1), point(2)]);
        for (process, round) in (0..6).flat_map(|process| (0..8).map(move |round| (process, round))) {
            for point in 0..2 {
                let place = Place { process, round, order: point, point };
                let counted = if point == 0 { faults(process, round) } else { 16 };
                samples.push(place, &[0, 1000 + u64::from(round), 0, 0, 55_000, counted, 0]);
            }
        }
        samples
    }

    fn first(a: &Samples, b: &Samples) -> CounterComparison {
        let settings = FitSettings { resamples: Some(200), ..FitSettings::default() };
        let found = compare(a, b, Sides::TwoRuns, &settings, 0.02).unwrap();
        assert_eq!(found.points[1].counters[0].verdict, Verdict::Same);
        assert!(found.points.iter().all(|point| point.counters.len() == 1), "preemptions are the machine's");
        assert_eq!((found.points[0].cycles_a, found.points[0].cycles_b), (48, 48));
        found.points[0].counters[0].clone()
    }

    #[test]
    fn what_is_counted_is_compared_too() {
        let sixteen = run(|_, _| 16);
        assert_eq!(first(&sixteen, &sixteen).verdict, Verdict::Same);
        let more = first(&sixteen, &run(|_, _| 20));
        assert!(
            more.verdict == Verdict::Slower && more.p_value < 1e-6 && (more.ratio() - 1.25).abs() < 1e-12,
            "{more:?}"
        );
        assert_eq!(first(&run(|_, _| 20), &sixteen).verdict, Verdict::Faster);
        let none = run(|_, _| 0);
        let from_none = first(&none, &sixteen);
        assert!(from_none.verdict == Verdict::Slower && from_none.ratio().is_infinite(), "{from_none:?}");
        assert_eq!(first(&none, &none).verdict, Verdict::Same);
    }

    #[test]
    fn a_side_that_varies_is_no_certain_change() {
        let unlike = run(|process, _| 10 + 3 * u64::from(process));
        let found = first(&run(|_, _| 16), &unlike);
        assert!(found.verdict == Verdict::Unsure && found.b.low < 16.0 && found.b.high > 16.0, "{found:?}");
    }
}
