//! The reference machine as the model needs it: how long its probes take.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::statistic::as_ns;
use super::student::mean_of;
use super::surcharge::Surcharge;
use super::{Estimate, Statistic};
use crate::experiment::{Point, Probe};
use crate::measure::Samples;
use crate::units::{Bytes, Pages};

/// The machine that costs are stated on: a cost is the ratio to the probe beside it, times what such a probe takes there.
///
/// The speed of a machine, its neighbours and its mood move a cycle and the probe beside it alike. What is left in their ratio
/// repeats, and one reference makes time of it, so that a fee is the same at any hour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Its name.
    pub name: String,
    /// Its probes by size, each once, in ascending order; at least one.
    pub probes: Vec<ProbeTime>,
    /// What surroundings add to small calls there, each strategy and surroundings once.
    pub surcharges: Vec<Surcharge>,
}

/// The time of a probe of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeTime {
    /// Pages that it touches.
    pub touched_pages: Pages,
    /// Bytes of them that it copies.
    pub data_bytes: Bytes,
    /// The median, in nanoseconds.
    pub nanos: Estimate,
}

/// A size of a probe: pages touched, bytes copied.
pub(crate) type Size = (Pages, Bytes);

impl Reference {
    /// The name of a reference that is the run itself: its fee is time as measured, and does not repeat.
    pub const THIS_RUN: &str = "this run";

    /// The medians of a run's own probes, those under `strategy` if there are any; `None` where a probe is missing.
    #[must_use]
    pub fn of_run(samples: &Samples, strategy: &str) -> Option<Self> {
        Self::of_runs(Self::THIS_RUN.into(), &[samples], strategy)
    }

    /// The medians of the medians of several runs, each run counted once. The intervals are those of Student over all processes.
    #[must_use]
    pub fn of_runs(name: String, runs: &[&Samples], strategy: &str) -> Option<Self> {
        let mut medians: BTreeMap<Size, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for samples in runs {
            for (size, processes) in probes(samples, strategy)? {
                let (of_runs, of_processes) = medians.entry(size).or_default();
                of_runs.push(Statistic::Median.of(processes.values().flatten().copied().collect())?);
                of_processes.extend(processes.into_values().filter_map(|times| Statistic::Median.of(times)));
            }
        }
        let time = |((touched_pages, data_bytes), (of_runs, of_processes)): (Size, (Vec<f64>, Vec<f64>))| {
            let value = Statistic::Median.of(of_runs)?;
            let half_width = half_width(&of_processes);
            Some(ProbeTime { touched_pages, data_bytes, nanos: Estimate::around(value.ln(), half_width).exp() })
        };
        let probes: Vec<ProbeTime> = medians.into_iter().map(time).collect::<Option<_>>()?;
        (!probes.is_empty()).then_some(Self { name, probes, surcharges: Vec::new() })
    }

    /// Whether it is that of a run itself.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.name == Self::THIS_RUN
    }

    /// How long the probe of a size takes there, in nanoseconds.
    ///
    /// As measured, where that size was. Otherwise linear in the pages between and beyond the measured levels, and for data what
    /// it was seen to add, linear between and beyond the levels of data.
    #[must_use]
    pub fn nanos(&self, touched: Pages, data: Bytes) -> f64 {
        let data = data.min(touched.bytes());
        let exact = self.probes.iter().find(|time| (time.touched_pages, time.data_bytes) == (touched, data));
        if let Some(exact) = exact {
            return exact.nanos.value;
        }
        let plain = self.without_data();
        let zero_filled = line_through(&plain, f64::from(touched.0));
        let mut added = vec![(0.0, 0.0)];
        for time in self.probes.iter().filter(|time| time.data_bytes > Bytes(0)) {
            let without = line_through(&plain, f64::from(time.touched_pages.0));
            added.push((bytes(time.data_bytes), time.nanos.value - without));
        }
        added.sort_by(|one, other| one.0.total_cmp(&other.0));
        // A probe takes some time, however far the levels are from it.
        (zero_filled + if data > Bytes(0) { line_through(&added, bytes(data)) } else { 0.0 }).max(1.0)
    }

    /// The same for the probe beside a point.
    pub(crate) fn of_point(&self, probe: &Probe, point: &Point) -> f64 {
        let (touched, data) = size_of(probe, point);
        self.nanos(touched, data)
    }

    /// The times by pages of probes that copy nothing; of all, if none does.
    fn without_data(&self) -> Vec<(f64, f64)> {
        let none = self.probes.iter().all(|time| time.data_bytes > Bytes(0));
        let plain = self.probes.iter().filter(|time| none || time.data_bytes == Bytes(0));
        plain.map(|time| (f64::from(time.touched_pages.0), time.nanos.value)).collect()
    }
}

/// The size of the probe beside a point.
pub(crate) fn size_of(probe: &Probe, point: &Point) -> Size {
    let touched = Pages(u32::try_from(point.level(probe.touches)).unwrap_or(u32::MAX));
    (touched, Bytes(point.level(probe.copies)).min(touched.bytes()))
}

/// The times of the probes by size and process.
fn probes(samples: &Samples, strategy: &str) -> Option<BTreeMap<Size, BTreeMap<u32, Vec<f64>>>> {
    let (value, probe) = samples.experiment.probe().zip(samples.experiment.reference.as_ref())?;
    let any = samples.points.iter().any(|point| point.strategy == strategy);
    let mut times: BTreeMap<Size, BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
    for sample in samples.iter() {
        let point = samples.points.get(sample.place.point as usize)?;
        if sample.values[value] == 0 {
            return None;
        }
        if !any || point.strategy == strategy {
            let of_size = times.entry(size_of(probe, point)).or_default();
            of_size.entry(sample.place.process).or_default().push(as_ns(sample.values[value]));
        }
    }
    Some(times)
}

/// Of the logarithm of a level that several processes found, at 95 %; 0 for one process.
fn half_width(found: &[f64]) -> f64 {
    let logs: Vec<f64> = found.iter().map(|value| value.ln()).collect();
    mean_of(&logs, 0.95).map_or(0.0, |(_, half_width)| half_width)
}

/// The height at `x` of the line through points in ascending order, the first and last piece going on beyond them. One point alone
/// stands for its share.
fn line_through(points: &[(f64, f64)], x: f64) -> f64 {
    let piece = |from: (f64, f64), to: (f64, f64)| from.1 + (to.1 - from.1) * (x - from.0) / (to.0 - from.0).max(1e-9);
    match points {
        [] => 0.0,
        [(_, height)] if x <= 0.0 => *height,
        [(at, height)] => height * x / at.max(1.0),
        [first, .., last] if first.0 >= last.0 => first.1,
        _ => {
            let next = points.iter().position(|(at, _)| *at > x).unwrap_or(points.len()).clamp(1, points.len() - 1);
            piece(points[next - 1], points[next])
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "data is far shorter than 2^53 bytes")]
fn bytes(bytes: Bytes) -> f64 {
    bytes.0 as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MEMORY;
    use crate::experiment::memory::DATA_BYTES;
    use crate::measure::Place;

    fn time(pages: u32, data: u64, value: f64) -> ProbeTime {
        let nanos = Estimate { value, low: value, high: value };
        ProbeTime { touched_pages: Pages(pages), data_bytes: Bytes(data), nanos }
    }

    fn reference() -> Reference {
        let probes = vec![
            time(1, 0, 50.0),
            time(1, 65_536, 60.0),
            time(17, 0, 450.0),
            time(64, 4 << 20, 2265.0),
            time(1024, 0, 26_000.0),
        ];
        Reference { name: "a".into(), probes, surcharges: Vec::new() }
    }

    #[test]
    fn measured_sizes_are_as_measured_and_others_lie_on_the_lines_between() {
        let reference = reference();
        let at = |pages, data| reference.nanos(Pages(pages), Bytes(data));
        for (found, expected) in
            [(at(1, 0), 50.0), (at(1, 65_536), 60.0), (at(17, 0), 450.0), (at(64, 4 << 20), 2265.0)]
        {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert!(
            (at(9, 0) - 250.0).abs() < 1e-9 && (at(2048, 0) - (26_000.0 + 1024.0 * 25_550.0 / 1007.0)).abs() < 1e-6
        );
        // No more is copied than is touched.
        assert!((at(1, 1 << 20) - 60.0).abs() < 1e-9);
        assert!((at(17, 32_768) - 455.0).abs() < 1e-9, "{}", at(17, 32_768));
        assert!(at(17, 1 << 20) > at(17, 1 << 19) && at(0, 0) < 50.0 && at(0, 0) > 0.0);
    }

    #[test]
    fn a_run_is_its_own_reference_by_the_medians_of_its_probes() {
        let point = |data| Point::of_memory("a", &format!("{data}"), "s", Pages(2)).with(&DATA_BYTES, data);
        let mut samples = Samples::of(&MEMORY, vec![point(0), point(1 << 30)]);
        for (process, probe) in [(0, 100), (0, 110), (1, 120)] {
            for index in [0, 1] {
                samples.push(
                    Place { process, round: 0, order: 0, point: index },
                    &[0, 0, 0, 0, probe * u64::from(index + 1), 0, 0],
                );
            }
        }
        let own = Reference::of_run(&samples, "other").unwrap();
        assert!(own.is_own());
        let sizes: Vec<_> = own.probes.iter().map(|time| (time.touched_pages.0, time.data_bytes.0)).collect();
        assert_eq!(sizes, [(2, 0), (2, 131_072)]);
        assert!((own.probes[0].nanos.value - 110.0).abs() < 1e-9 && own.probes[0].nanos.holds(105.0));
        let without = samples.changed(|_, place, values| {
            values[4] = 0;
            Some(place)
        });
        assert_eq!(Reference::of_run(&without, "s"), None);
    }
}
