use std::collections::BTreeMap;

use super::grid::Grid;
use crate::measure::{Conditions, DesignPoint, Previous, WriteWidth};
use crate::model::{Fit, PointFit, StrategyFit};
use crate::units::{Nanos, Pages};

/// The cost under every strategy at every level of pages: a table for each touched share, tenant before and write width.
///
/// Each cell is the estimate with half of its 95 % interval.
#[must_use]
pub fn ladder(fit: &Fit) -> String {
    let section = |setting: Setting| format!("{}\n{}", setting.heading(), setting.table(fit).text());
    settings(fit).into_iter().map(section).collect::<Vec<_>>().join("\n")
}

/// Every setting that was measured, each once.
pub(super) fn settings(fit: &Fit) -> Vec<Setting> {
    let mut settings: Vec<Setting> =
        fit.strategies.iter().flat_map(|fit| &fit.points).map(|found| Setting::of(&found.point)).collect();
    settings.sort_unstable();
    settings.dedup();
    settings
}

/// Which strategy is the cheapest at which sizes, a sentence for each setting. Medians decide; intervals may overlap.
pub(super) fn cheapest(fit: &Fit) -> Vec<String> {
    if fit.strategies.len() < 2 {
        return Vec::new();
    }
    settings(fit).into_iter().filter_map(|setting| setting.cheapest(fit)).collect()
}

/// What is the same in all cells of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Setting {
    conditions: Conditions,
    share: Share,
}

/// The part of the declared pages that is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    All,
    OneIn(u32),
    None,
}

impl Setting {
    pub(super) fn of(point: &DesignPoint) -> Self {
        let share = match point.touched_pages {
            Pages(0) => Share::None,
            touched if touched >= point.initial_pages => Share::All,
            touched => Share::OneIn(point.initial_pages.0 / touched.0),
        };
        Self { conditions: point.conditions, share }
    }

    pub(super) fn heading(self) -> String {
        let touched = match self.share {
            Share::All => "every page touched".to_owned(),
            Share::OneIn(part) => format!("1/{part} of the pages touched"),
            Share::None => "no page touched".to_owned(),
        };
        let before = match self.conditions.previous {
            Previous::Same => "",
            Previous::Clean => ", after a tenant of 64 MiB that wrote nothing",
            Previous::Dirty => ", after a tenant that dirtied 64 MiB",
        };
        let width = match self.conditions.write_width {
            WriteWidth::HostPage => "",
            WriteWidth::EveryByte => ", every byte written",
        };
        format!("Cost by reset strategy, {touched}{width}{before}")
    }

    fn cheapest(self, fit: &Fit) -> Option<String> {
        let costs = |strategy: &StrategyFit| -> BTreeMap<Pages, f64> {
            let at = strategy.points.iter().filter(|found| Self::of(&found.point) == self);
            at.map(|found| (found.point.initial_pages, found.cost.value)).collect()
        };
        let costs: Vec<_> = fit.strategies.iter().map(|strategy| (&strategy.strategy, costs(strategy))).collect();
        let (_, first) = costs.first()?;
        let mut ranges: Vec<(&str, Pages, Pages)> = Vec::new();
        for pages in first.keys().copied() {
            let here: Option<Vec<(f64, &str)>> =
                costs.iter().map(|(name, costs)| Some((*costs.get(&pages)?, name.as_str()))).collect();
            let Some(here) = here else { continue };
            let Some((_, name)) = here.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            match ranges.last_mut() {
                Some((last, _, to)) if *last == name => *to = pages,
                _ => ranges.push((name, pages, pages)),
            }
        }
        let range = |(name, from, to): (&str, Pages, Pages)| match from == to {
            true => format!("{name} at {from}"),
            false => format!("{name} from {} to {to}", from.0),
        };
        let ranges: Vec<String> = ranges.into_iter().map(range).collect();
        let touched = self.heading().trim_start_matches("Cost by reset strategy, ").to_owned();
        (!ranges.is_empty()).then(|| format!("Cheapest by median, {touched}: {}.", ranges.join(", then ")))
    }

    pub(super) fn table(self, fit: &Fit) -> Grid {
        let mut levels: Vec<Pages> = fit
            .strategies
            .iter()
            .flat_map(|fit| &fit.points)
            .filter(|found| Self::of(&found.point) == self)
            .map(|found| found.point.initial_pages)
            .collect();
        levels.sort_unstable();
        levels.dedup();
        let headers = std::iter::once("pages".to_owned()).chain(fit.strategies.iter().map(|fit| fit.strategy.clone()));
        let cell = |points: &[PointFit], pages: Pages| {
            let at = |found: &&PointFit| found.point.initial_pages == pages && Self::of(&found.point) == self;
            points.iter().find(at).map_or_else(
                || "–".into(),
                |found| {
                    let half = (found.cost.high - found.cost.low) / 2.0;
                    format!("{} ± {}", Nanos(found.cost.value), Nanos(half))
                },
            )
        };
        let row = |pages: Pages| {
            let cells = fit.strategies.iter().map(|fit| cell(&fit.points, pages));
            std::iter::once(pages.0.to_string()).chain(cells).collect()
        };
        Grid { headers: headers.collect(), rows: levels.into_iter().map(row).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    fn point(initial: u32, touched: u32, conditions: Conditions) -> DesignPoint {
        DesignPoint {
            contract: "touch-memory".into(),
            variant: format!("pages{initial}"),
            strategy: "fresh-map".into(),
            initial_pages: Pages(initial),
            stack_bytes: Bytes(0),
            touched_pages: Pages(touched),
            data_bytes: Bytes(0),
            conditions,
        }
    }

    #[test]
    fn headings_name_every_factor() {
        let dirty = Conditions { previous: Previous::Dirty, ..Conditions::default() };
        let heading = |initial, touched, conditions| Setting::of(&point(initial, touched, conditions)).heading();
        assert_eq!(heading(17, 17, Conditions::default()), "Cost by reset strategy, every page touched");
        assert_eq!(
            heading(1024, 64, dirty),
            "Cost by reset strategy, 1/16 of the pages touched, after a tenant that dirtied 64 MiB"
        );
        assert_eq!(Setting::of(&point(64, 16, dirty)), Setting::of(&point(1024, 256, dirty)));
    }
}
