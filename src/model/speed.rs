//! A machine held against a reference by its probes.

use serde::{Deserialize, Serialize};

use super::statistic::as_ns;
use super::student::mean_of;
use super::{Estimate, ProbeTime, Reference, Statistic};

/// How fast a machine is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speed {
    /// Its time over that of the reference, the geometric mean over all sizes: 1.1 is 10 % slower.
    pub ratio: Estimate,
    /// The same at each size of the reference, by the medians over all processes.
    pub by_size: Vec<f64>,
}

/// What a reference says of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpeedVerdict {
    /// It is not slower by more than is tolerated.
    Fast,
    /// It is.
    Slower,
    /// It seems to be, and may be no slower at all.
    Unsure,
}

impl Speed {
    /// Of probes by process, then by size of the reference; `None` where one is missing or there are fewer than two processes.
    #[must_use]
    pub fn of(reference: &Reference, processes: &[Vec<Vec<u64>>], confidence: f64) -> Option<Self> {
        let logs: Vec<Vec<f64>> = processes.iter().map(|times| logs(reference, times)).collect::<Option<_>>()?;
        let means: Vec<f64> = logs.iter().cloned().map(|logs| Statistic::Mean.of(logs)).collect::<Option<_>>()?;
        let (mean, half_width) = mean_of(&means, confidence)?;
        let by_size = |at: usize| Statistic::Median.of(logs.iter().map(|logs| logs[at]).collect()).map(f64::exp);
        let by_size = (0..reference.probes.len()).map(by_size).collect::<Option<_>>()?;
        Some(Self { ratio: Estimate::around(mean, half_width).exp(), by_size })
    }

    /// The verdict, given what is tolerated: 0.05 for 5 %.
    #[must_use]
    pub fn verdict(&self, tolerance: f64) -> SpeedVerdict {
        if self.ratio.value <= 1.0 + tolerance {
            SpeedVerdict::Fast
        } else if self.ratio.low > 1.0 {
            SpeedVerdict::Slower
        } else {
            SpeedVerdict::Unsure
        }
    }
}

/// The logarithm of one process's median at each size over that of the reference.
fn logs(reference: &Reference, times: &[Vec<u64>]) -> Option<Vec<f64>> {
    if times.len() != reference.probes.len() {
        return None;
    }
    let log = |(times, probe): (&Vec<u64>, &ProbeTime)| {
        let median = Statistic::Median.of(times.iter().map(|&time| as_ns(time)).collect())?;
        Some((median / probe.nanos.value).ln()).filter(|log| log.is_finite())
    };
    times.iter().zip(&reference.probes).map(log).collect()
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::super::simulated::reference;
    use super::*;

    /// Processes that differ by 2 % either way, on a machine so many times slower.
    fn speed(times: f64, seed: u64) -> Speed {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let reference = reference();
        let mut process = || {
            let own: f64 = times * random.random_range(0.98..1.02);
            let mut of_size = |nanos: f64| {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in nanoseconds")]
                (0..15).map(|_| (nanos * own * random.random_range(0.8..1.25)) as u64).collect()
            };
            reference.probes.iter().map(|probe| of_size(probe.nanos.value)).collect()
        };
        let processes: Vec<Vec<Vec<u64>>> = (0..8).map(|_| process()).collect();
        Speed::of(&reference, &processes, 0.95).unwrap()
    }

    #[test]
    fn a_machine_that_is_a_tenth_slower_is_told_from_one_that_is_not() {
        let verdicts = |times| (0..100).map(move |seed| speed(times, seed).verdict(0.05));
        assert!(verdicts(1.0).all(|verdict| verdict == SpeedVerdict::Fast));
        assert!(verdicts(1.1).filter(|verdict| *verdict == SpeedVerdict::Slower).count() >= 95);
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        assert_eq!(Speed::of(&reference(), &[vec![vec![1]; 6]], 0.95), None, "one process");
        assert_eq!(Speed::of(&reference(), &[vec![vec![1]; 2], vec![vec![1]; 2]], 0.95), None, "other sizes");
    }
}
