use super::{Comparison, CounterComparison, PointComparison, Verdict};

/// How many of what is compared have each verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// Those that are dearer in B.
    pub slower: usize,
    /// Those that are cheaper.
    pub faster: usize,
    /// Those that are the same within the threshold.
    pub same: usize,
    /// Those of which it cannot be told.
    pub unsure: usize,
}

/// The points of a comparison in a few figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Points by their verdicts.
    pub verdicts: Verdicts,
    /// The largest effect, B over A less 1, with its sign.
    pub largest: f64,
    /// The size of effects, either way, that three quarters of the points do not exceed: 1 for twice as dear and for half as dear.
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

    /// The counters that changed at a point, the largest changes first.
    #[must_use]
    pub fn changed_counters(&self) -> Vec<(&PointComparison, &CounterComparison)> {
        let all = self.points.iter().flat_map(|point| point.counters.iter().map(move |counter| (point, counter)));
        let is_change = |of: &CounterComparison| matches!(of.verdict, Verdict::Faster | Verdict::Slower);
        let mut changed: Vec<_> = all.filter(|(_, counter)| is_change(counter)).collect();
        let size = |of: &CounterComparison| of.ratio().ln().abs();
        changed.sort_by(|(_, one), (_, other)| size(other).total_cmp(&size(one)));
        changed
    }

    /// The verdicts on what was counted, each counter at each point.
    #[must_use]
    pub fn counted(&self) -> Verdicts {
        Verdicts::of(self.points.iter().flat_map(|point| &point.counters).map(|counter| counter.verdict))
    }

    /// Their verdicts and effects together.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let points = self.by_effect();
        let effect = |of: &&PointComparison| of.ratio.ratio.value - 1.0;
        // The smallest that as many of four do not exceed.
        let of_four = |share: usize| {
            points
                .get(points.len() - (points.len() * share).div_ceil(4))
                .map_or(0.0, |of| of.ratio.ratio.value.ln().abs().exp_m1())
        };
        Tally {
            verdicts: Verdicts::of(points.iter().map(|of| of.ratio.verdict)),
            largest: points.first().map_or(0.0, effect),
            p75: of_four(3),
            median: of_four(2),
        }
    }
}

impl Verdicts {
    /// Counts them.
    #[must_use]
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *match verdict {
                Verdict::Slower => &mut counts.slower,
                Verdict::Faster => &mut counts.faster,
                Verdict::Same => &mut counts.same,
                Verdict::Unsure => &mut counts.unsure,
            } += 1;
        }
        counts
    }

    /// How many there are in all.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.slower + self.faster + self.same + self.unsure
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
            cost_a: Estimate::around(1.0, 0.0),
            cost_b: Estimate::around(value, 0.0),
            cycles_a: 1,
            cycles_b: 1,
            counters: Vec::new(),
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
        assert_eq!(tally.verdicts, Verdicts { slower: 1, faster: 1, same: 1, unsure: 1 });
        for (found, expected) in [(tally.largest, -0.5), (tally.p75, 0.25), (tally.median, 0.03)] {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let none = Comparison { points: Vec::new(), ..comparison };
        assert!(none.tally().p75.abs() < 1e-12);
    }
}
