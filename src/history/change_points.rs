//! Where a series changed its level, for people who look at a trend.

use super::series::{count, median};

/// Name of the method, for reports.
pub const METHOD: &str = "PELT, change in mean, normal likelihood, penalty 4 ln n";

/// Fewest runs of a level: one disturbed night is not a level.
const FEWEST: usize = 4;

/// A stretch of runs of one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Its first run.
    pub start: usize,
    /// One after its last.
    pub end: usize,
    /// The mean of its values.
    pub level: f64,
}

/// Parts the values into levels by optimal partitioning with pruning: PELT (Killick, Fearnhead and Eckley, *Optimal Detection of
/// Changepoints with a Linear Computational Cost*, 2012).
///
/// The cost of a segment is its sum of squares over the variance of the noise, which comes from the differences of
/// neighbours and so knows nothing of levels. Values are first cut off at five deviations from the median of their five
/// neighbours, so that a single disturbed night makes no level of its own. A change must lower the cost by 4 ln n, twice what
/// the Bayesian information criterion asks, since the noise of machines has longer tails than the normal one.
#[must_use]
pub fn segments(values: &[f64]) -> Vec<Segment> {
    let length = values.len();
    let deviation = noise(values);
    let whole = |end| Segment { start: 0, end, level: values.iter().sum::<f64>() / count(end.max(1)) };
    if length < 2 * FEWEST || deviation <= 0.0 {
        return if length == 0 { Vec::new() } else { vec![whole(length)] };
    }
    let values = clipped(values, deviation);
    let mut sums = vec![(0.0, 0.0)];
    for value in &values {
        let scaled = (value - values[0]) / deviation;
        let (sum, squares) = sums[sums.len() - 1];
        sums.push((sum + scaled, squares + scaled * scaled));
    }
    let cost = |start: usize, end: usize| {
        let (sum, squares) = (sums[end].0 - sums[start].0, sums[end].1 - sums[start].1);
        squares - sum * sum / count(end - start)
    };
    let penalty = 4.0 * count(length).ln();
    let mut best = vec![f64::INFINITY; length + 1];
    let mut last = vec![0; length + 1];
    best[0] = -penalty;
    let mut candidates = vec![0];
    for end in FEWEST..=length {
        if end >= 2 * FEWEST {
            candidates.push(end - FEWEST);
        }
        let tried: Vec<(usize, f64)> =
            candidates.iter().map(|&start| (start, best[start] + cost(start, end))).collect();
        if let Some(&(start, value)) = tried.iter().min_by(|one, other| one.1.total_cmp(&other.1)) {
            best[end] = value + penalty;
            last[end] = start;
        }
        candidates = tried.into_iter().filter(|&(_, value)| value <= best[end]).map(|(start, _)| start).collect();
    }
    let mut found = Vec::new();
    let mut end = length;
    while end > 0 {
        let start = last[end];
        let level = values[start..end].iter().sum::<f64>() / count(end - start);
        found.push(Segment { start, end, level });
        end = start;
    }
    found.reverse();
    found
}

/// Deviation of the noise: the median absolute difference of neighbours, as of a normal distribution.
fn noise(values: &[f64]) -> f64 {
    let differences: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    1.4826 * median(&differences) / std::f64::consts::SQRT_2
}

fn clipped(values: &[f64], deviation: f64) -> Vec<f64> {
    let calm = |place: usize| {
        let near = &values[place.saturating_sub(2)..(place + 3).min(values.len())];
        let middle = median(near);
        values[place].clamp(middle - 5.0 * deviation, middle + 5.0 * deviation)
    };
    (0..values.len()).map(calm).collect()
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt as _, SeedableRng};

    use super::*;

    fn noisy(levels: &[(usize, f64)], seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        levels.iter().flat_map(|&(runs, level)| vec![level; runs]).map(|level| level + 0.01 * normal()).collect()
    }

    #[test]
    fn a_step_is_placed_within_two_runs() {
        for seed in 0..20 {
            let found = segments(&noisy(&[(40, 0.0), (30, 0.05)], seed));
            assert_eq!(found.len(), 2, "{found:?}");
            assert!(found[1].start.abs_diff(40) <= 2 && (found[1].level - 0.05).abs() < 0.01, "{found:?}");
        }
    }

    #[test]
    fn noise_is_one_level() {
        let many = (0..100).filter(|&seed| segments(&noisy(&[(100, 1.0)], seed)).len() > 1).count();
        assert!(many <= 1, "{many} of 100");
    }

    #[test]
    fn a_disturbed_night_is_no_level() {
        let mut values = noisy(&[(60, 0.0)], 1);
        values[30] += 1.0;
        assert_eq!(segments(&values).len(), 1);
    }

    #[test]
    fn few_and_equal_values_are_one_level() {
        assert_eq!(segments(&[]), []);
        assert_eq!(segments(&[3.0]), [Segment { start: 0, end: 1, level: 3.0 }]);
        assert_eq!(segments(&[3.0; 20]), [Segment { start: 0, end: 20, level: 3.0 }]);
    }

    #[test]
    fn segments_are_a_partition() {
        for seed in 0..10 {
            let found = segments(&noisy(&[(7, 0.0), (5, 0.5), (9, 0.1), (30, 0.3)], seed));
            assert_eq!((found[0].start, found[found.len() - 1].end), (0, 51));
            assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
