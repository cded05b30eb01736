//! How slow the machine was around each cycle.

use super::form::as_ns;
use super::nominal_probe;
use crate::measure::Samples;
use crate::units::{Nanos, Pages};

/// For each sample, how much longer than nominal the probes around its cycle took: the geometric mean of the one right before the
/// cycle, which belongs to the cycle before, and the one right after. `None` where a probe is missing.
///
/// The speed of a shared machine changes within milliseconds, so a cycle is held against the probes next to it: from 2 to 256
/// pages the quotient varies by 4 to 8 % from cycle to cycle, where either alone varies by 20 to 35 %. A probe of one page is
/// noisy by itself and one of 1024 pages lasts longer than the machine keeps its pace: there two probes are steadier than one.
/// The first cycle of a round has no probe before it, and one that touched nothing tells nothing.
pub(crate) fn paces(samples: &Samples) -> Option<Vec<f64>> {
    let nominal: Vec<Nanos> = samples.points.iter().map(nominal_probe).collect();
    let tells: Vec<bool> = samples.points.iter().map(|point| point.touched_pages > Pages(0)).collect();
    let own: Vec<f64> = (samples.samples.iter())
        .map(|sample| as_ns(sample.probe_ns) / nominal.get(sample.point as usize).map_or(f64::NAN, |nominal| nominal.0))
        .collect();
    if !own.iter().all(|&pace| pace > 0.0) {
        return None;
    }
    let around = |index: usize| {
        let before = index.checked_sub(1).filter(|&before| {
            let (sample, before) = (&samples.samples[index], &samples.samples[before]);
            (before.process, before.round, before.order + 1) == (sample.process, sample.round, sample.order)
                && tells[before.point as usize]
        });
        before.map_or(own[index], |before| (own[before] * own[index]).sqrt())
    };
    Some((0..own.len()).map(around).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::simulated::Machine;

    /// Two rounds of two points, whose probes take 1, 4, 9 and 16 times as long as nominal.
    fn samples() -> Samples {
        let machine = Machine { levels: vec![1, 17], processes: 1, rounds: 2, ..Machine::default() };
        let mut samples = machine.run(1);
        for (sample, factor) in samples.samples.iter_mut().zip([1, 4, 9, 16]) {
            sample.probe_ns = factor * if sample.point == 0 { 35_000 } else { 435_000 };
        }
        samples
    }

    fn assert_close(paces: Option<Vec<f64>>, expected: [f64; 4]) {
        let paces = paces.unwrap();
        assert!(paces.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{paces:?}");
    }

    #[test]
    fn a_cycle_lies_between_two_probes_of_its_round() {
        assert_close(paces(&samples()), [1.0, 2.0, 9.0, 12.0]);
    }

    #[test]
    fn a_probe_that_touched_nothing_tells_nothing_of_the_next_cycle() {
        let mut samples = samples();
        samples.points[0].touched_pages = Pages(0);
        let paces = paces(&samples).unwrap();
        assert!((paces[1] - 4.0).abs() < 1e-12 && (paces[3] - 16.0).abs() < 1e-12, "{paces:?}");
    }

    #[test]
    fn without_a_probe_there_is_no_pace() {
        let mut samples = samples();
        samples.samples[2].probe_ns = 0;
        assert_eq!(paces(&samples), None);
    }
}
