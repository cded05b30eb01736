//! Where a call lies between the points that were measured.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::experiment::Point;
use crate::units::{HOST_PAGES_PER_WASM_PAGE, Pages};

/// The declared and touched pages at which every strategy was measured in usual surroundings, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knots(Vec<(Pages, Pages)>);

impl Knots {
    /// Those of these points.
    #[must_use]
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        let mut strategies: BTreeMap<&str, BTreeSet<(Pages, Pages)>> = BTreeMap::new();
        for point in points {
            strategies.entry(&point.strategy).or_default().extend(Self::knot(point));
        }
        let in_common = strategies.into_values().reduce(|a, b| a.intersection(&b).copied().collect());
        Self(in_common.unwrap_or_default().into_iter().collect())
    }

    /// That of a point; `None` in other surroundings, and of one that grows.
    pub(super) fn knot(point: &Point) -> Option<(Pages, Pages)> {
        let (declared, touched) = (point.initial_pages(), point.touched_pages());
        (point.is_undisturbed() && touched <= declared).then_some((declared, touched))
    }

    /// All of them: declared pages, touched pages.
    pub(super) fn all(&self) -> &[(Pages, Pages)] {
        &self.0
    }

    /// The sizes, each with the range of its knots.
    pub(super) fn sizes(&self) -> Vec<(Pages, Range<usize>)> {
        let mut start = 0;
        let sizes = self.0.chunk_by(|a, b| a.0 == b.0).map(|knots| {
            let range = start..start + knots.len();
            start = range.end;
            (knots[0].0, range)
        });
        sizes.collect()
    }

    /// The touched share at a knot.
    pub(super) fn share(&self, knot: usize) -> f64 {
        let (declared, touched) = self.0[knot];
        f64::from(touched.0) / f64::from(declared.0.max(1))
    }

    /// Whether a call of the knot's size that touches this share is not half a host page away.
    fn is_at(&self, knot: usize, touched_share: f64) -> bool {
        let (declared, touched) = self.0[knot];
        #[expect(clippy::cast_precision_loss, reason = "16")]
        let host_pages = HOST_PAGES_PER_WASM_PAGE as f64;
        (touched_share * f64::from(declared.0) - f64::from(touched.0)).abs() * host_pages < 0.5
    }

    /// The knots that a call lies between, with their parts in it, which add up to 1; `None` beyond all of them. A call of a measured size
    /// that touches what a knot touches, but for less than half a host page, is at that knot: shares are written with few digits.
    ///
    /// A cost is linear in the touched share between two shares of one size, and at one share linear in the pages between two sizes. It so
    /// rises where the measured costs do, and never leaves their range.
    #[must_use]
    pub fn between(&self, pages: Pages, touched_share: f64) -> Option<Vec<(usize, f64)>> {
        let sizes = self.sizes();
        let places: Vec<f64> = sizes.iter().map(|(pages, _)| f64::from(pages.0)).collect();
        let mut parts = Vec::new();
        for (size, part) in neighbours(f64::from(pages.0), &places)? {
            let knots = sizes[size].1.clone();
            if sizes[size].0 == pages
                && let Some(knot) = knots.clone().find(|&knot| self.is_at(knot, touched_share))
            {
                return Some(vec![(knot, 1.0)]);
            }
            let shares: Vec<f64> = knots.clone().map(|knot| self.share(knot)).collect();
            let within = neighbours(touched_share, &shares)?;
            parts.extend(within.into_iter().map(|(share, of_it)| (knots.start + share, part * of_it)));
        }
        Some(parts)
    }
}

/// The places next to one, among ascending ones, with their parts in it.
fn neighbours(at: f64, places: &[f64]) -> Option<Vec<(usize, f64)>> {
    let above = places.partition_point(|place| *place < at);
    let high = *places.get(above)?;
    if high <= at {
        return Some(vec![(above, 1.0)]);
    }
    let below = above.checked_sub(1)?;
    let part = (at - places[below]) / (high - places[below]);
    Some(vec![(below, 1.0 - part), (above, part)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::experiment::conditions::CACHES;
    use crate::experiment::memory::TOUCHED_PAGES;

    fn point(strategy: &str, declared: u32, touched: u32) -> Point {
        Point::of_memory("touch-memory", "v", strategy, Pages(declared)).with(&TOUCHED_PAGES, touched.into())
    }

    fn knots() -> Knots {
        let of =
            |strategy: &str| [(4, 0), (4, 1), (4, 4), (16, 0), (16, 4), (16, 16)].map(|at| point(strategy, at.0, at.1));
        let alone = [point("a", 64, 0), point("a", 16, 1).with(&CACHES, 1), point("b", 16, 1)];
        Knots::of(of("a").iter().chain(&of("b")).chain(&alone))
    }

    #[test]
    fn knots_are_what_all_strategies_have_in_usual_surroundings() {
        let places: Vec<(u32, u32)> = knots().all().iter().map(|(declared, touched)| (declared.0, touched.0)).collect();
        assert_eq!(places, [(4, 0), (4, 1), (4, 4), (16, 0), (16, 4), (16, 16)]);
    }

    #[test]
    fn what_was_measured_is_one_knot_and_what_lies_beyond_is_none() {
        assert_eq!(knots().between(Pages(4), 0.25), Some(vec![(1, 1.0)]));
        assert_eq!(knots().between(Pages(16), 1.0), Some(vec![(5, 1.0)]));
        assert_eq!(knots().between(Pages(17), 0.5), None);
        assert_eq!(knots().between(Pages(3), 0.5), None);
        assert_eq!(knots().between(Pages(4), f64::NAN), None);
    }

    /// 1/17 in four digits, as people and the documentation write it.
    #[test]
    fn a_rounded_share_is_the_measured_one() {
        let of = |strategy: &str| [(17, 0), (17, 1), (17, 17)].map(|at| point(strategy, at.0, at.1));
        let knots = Knots::of(&of("a"));
        assert_eq!(knots.between(Pages(17), 0.0588), Some(vec![(1, 1.0)]));
        // Of 272 host pages: half a one beside the knot, and a whole one.
        for (host_pages, places) in [(15.6, 1), (16.4, 1), (15.4, 2), (16.6, 2), (1.0, 2), (0.4, 1), (271.6, 1)] {
            assert_eq!(
                knots.between(Pages(17), host_pages / 272.0).map(|parts| parts.len()),
                Some(places),
                "{host_pages}"
            );
        }
    }

    proptest! {
        /// Any cost that is linear in declared and in touched pages is met exactly, but for half a host page where that makes a call measured.
        #[test]
        fn parts_are_of_the_call(pages in 4u32..=16, share in 0.0..=1.0f64, a in 0.0..1e6f64, b in 0.0..1e4f64, c in 0.0..1e4f64) {
            let parts = knots().between(Pages(pages), share).unwrap();
            let cost = |declared: f64, touched: f64| a + b * declared + c * touched;
            let blended: f64 = parts.iter().map(|&(knot, part)| {
                let (declared, touched) = knots().all()[knot];
                part * cost(declared.0.into(), touched.0.into())
            }).sum();
            prop_assert!(parts.iter().all(|(_, part)| (0.0..=1.0).contains(part)));
            prop_assert!((parts.iter().map(|(_, part)| part).sum::<f64>() - 1.0).abs() < 1e-12);
            let truth = cost(pages.into(), share * f64::from(pages));
            let slack = if parts.len() == 1 { c / 32.0 } else { 0.0 };
            prop_assert!((blended - truth).abs() <= 1e-9 * truth.max(1.0) + slack, "{} {}", blended, truth);
        }
    }
}
