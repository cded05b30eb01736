use super::{Comparison, PointComparison, Verdict};

/// The points of a comparison in a few figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Points that are dearer in B.
    pub slower: usize,
    /// Points that are cheaper.
    pub faster: usize,
    /// Points that are the same within the threshold.
    pub same: usize,
    /// Points of which it cannot be told.
    pub unsure: usize,
    /// The largest effect, B over A less 1.
    pub largest: f64,
    /// The size of effects, either way, that three quarters of the points do not exceed.
    pub p75: f64,
    /// The same of one half.
    pub median: f64,
}

impl Comparison {
    /// The points by the size of their effect, the largest first. Twice as dear is as large as half as dear.
    #[must_use]
    pub fn by_effect(&self) -> Vec<&PointComparison> {
        let mut points: Vec<&PointComparison> = self.points.iter().collect();
        let size = |of: &PointComparison| of.ratio.ratio.value.ln().abs();
        points.sort_by(|one, other| size(other).total_cmp(&size(one)));
        points
    }

    /// Their verdicts and effects together.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let points = self.by_effect();
        let count = |verdict| points.iter().filter(|of| of.ratio.verdict == verdict).count();
        let effect = |of: &&PointComparison| of.ratio.ratio.value - 1.0;
        // The smallest that as many of four do not exceed.
        let of_four = |share: usize| {
            points.get(points.len() - (points.len() * share).div_ceil(4)).map_or(0.0, |of| effect(of).abs())
        };
        Tally {
            slower: count(Verdict::Slower),
            faster: count(Verdict::Faster),
            same: count(Verdict::Same),
            unsure: count(Verdict::Unsure),
            largest: points.first().map_or(0.0, effect),
            p75: of_four(3),
            median: of_four(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Point;
    use crate::model::{Estimate, Form, Ratio, Spread, Statistic, Steadiness};

    #[test]
    fn points_are_told_together_by_the_size_of_their_effects() {
        let spread = Spread::of(&[1.0]);
        let point = |(value, verdict): (f64, Verdict)| PointComparison {
            point: Point::default(),
            ratio: Ratio { ratio: Estimate::around(value, 0.0), p_value: 1.0, verdict },
            a: spread,
            b: spread,
        };
        let found = [(1.01, Verdict::Same), (0.5, Verdict::Faster), (1.25, Verdict::Slower), (1.03, Verdict::Unsure)];
        let overall = Ratio { ratio: Estimate::around(1.0, 0.0), p_value: 1.0, verdict: Verdict::Same };
        let comparison = Comparison {
            form: Form::Measured,
            statistic: Statistic::Median,
            steadiness: Steadiness { measured: None, relative: None },
            threshold: 0.02,
            overall,
            points: found.map(point).into(),
            only_a: Vec::new(),
            only_b: Vec::new(),
            detectable: 0.0,
        };
        let order: Vec<f64> = comparison.by_effect().iter().map(|of| of.ratio.ratio.value).collect();
        assert_eq!(order, [0.5, 1.25, 1.03, 1.01]);
        let tally = comparison.tally();
        assert_eq!((tally.slower, tally.faster, tally.same, tally.unsure), (1, 1, 1, 1));
        for (found, expected) in [(tally.largest, -0.5), (tally.p75, 0.25), (tally.median, 0.03)] {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let none = Comparison { points: Vec::new(), ..comparison };
        assert!(none.tally().p75.abs() < 1e-12);
    }
}
