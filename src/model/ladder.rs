//! Costs by reset strategy at each level of pages.

use std::collections::BTreeMap;

use super::{Fit, PointFit, StrategyFit};
use crate::experiment::Point;
use crate::measure::Setting;
use crate::units::Pages;

/// Levels of pages, one after the other, at which a strategy has the least median.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheapestRange<'a> {
    /// The strategy.
    pub strategy: &'a str,
    /// The first level.
    pub from: Pages,
    /// The last one.
    pub to: Pages,
}

impl Fit {
    /// The settings that the points are in, each once.
    #[must_use]
    pub fn settings(&self) -> Vec<Setting> {
        sorted(self.points().map(Setting::of).collect())
    }

    /// The levels of pages in a setting, each once, from the smallest.
    #[must_use]
    pub fn levels(&self, setting: &Setting) -> Vec<Pages> {
        sorted(self.points().filter(|point| Setting::of(point) == *setting).map(Point::initial_pages).collect())
    }

    /// The point of a strategy at a level of pages in a setting.
    #[must_use]
    pub fn at(&self, strategy: &str, setting: &Setting, pages: Pages) -> Option<&PointFit> {
        let here = |found: &&PointFit| found.point.initial_pages() == pages && Setting::of(&found.point) == *setting;
        self.strategy(strategy)?.points.iter().find(here)
    }

    /// Which strategy is the cheapest at which levels of a setting, where there are several. Medians decide; intervals may overlap.
    /// A level that a strategy lacks is passed over.
    #[must_use]
    pub fn cheapest(&self, setting: &Setting) -> Vec<CheapestRange<'_>> {
        let mut ranges: Vec<CheapestRange<'_>> = Vec::new();
        if self.strategies.len() < 2 {
            return ranges;
        }
        for pages in self.levels(setting) {
            let cost = |of: &StrategyFit| Some(self.at(&of.strategy, setting, pages)?.cost.value);
            let costs: Option<Vec<f64>> = self.strategies.iter().map(cost).collect();
            let costs = costs.into_iter().flatten().zip(&self.strategies);
            let Some((_, cheapest)) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            match ranges.last_mut() {
                Some(last) if last.strategy == cheapest.strategy => last.to = pages,
                _ => ranges.push(CheapestRange { strategy: &cheapest.strategy, from: pages, to: pages }),
            }
        }
        ranges
    }

    /// How many times the cost of a strategy the cheapest of others costs at a point; `None` where it or all of them lack the point.
    #[must_use]
    pub fn times_dearer(&self, others: &[&str], strategy: &str, setting: &Setting, pages: Pages) -> Option<f64> {
        let cost = |name: &str| self.at(name, setting, pages).map(|found| found.cost.value);
        let least = others.iter().filter_map(|name| cost(name)).min_by(f64::total_cmp)?;
        Some(least / cost(strategy)?)
    }

    /// The dearest of a strategy's points at each level of pages, among those that are chosen and that every strategy has, so that all
    /// are held against each other for the same work.
    #[must_use]
    pub fn dearest_in_common<'a>(
        &self,
        fit: &'a StrategyFit,
        chosen: impl Fn(&Point) -> bool,
    ) -> BTreeMap<Pages, &'a PointFit> {
        let has =
            |fit: &StrategyFit, point: &Point| fit.points.iter().any(|found| found.point.under("") == point.under(""));
        let in_common = |point: &Point| self.strategies.iter().all(|fit| has(fit, point));
        let mut levels: BTreeMap<Pages, &PointFit> = BTreeMap::new();
        for found in fit.points.iter().filter(|found| chosen(&found.point) && in_common(&found.point)) {
            let best = levels.entry(found.point.initial_pages()).or_insert(found);
            if found.cost.value > best.cost.value {
                *best = found;
            }
        }
        levels
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.strategies.iter().flat_map(|fit| &fit.points).map(|found| &found.point)
    }
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all.dedup();
    all
}
