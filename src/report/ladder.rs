use super::grid::Grid;
use crate::experiment::{Caches, Neighbour, Point, Previous, WriteWidth};
use crate::measure::{Setting, Share};
use crate::model::{Fit, PointFit};
use crate::units::{Nanos, Pages};

/// The words for a setting.
pub(super) fn words(setting: &Setting) -> String {
    let surrounded = Point { levels: setting.conditions.clone(), ..Point::default() };
    let touched = match setting.share {
        Share::All => "every page touched".to_owned(),
        Share::OneIn(part) => format!("1/{part} of the pages touched"),
        Share::None => "no page touched".to_owned(),
    };
    let width = match surrounded.write_width() {
        WriteWidth::HostPage => "",
        WriteWidth::EveryByte => ", every byte written",
    };
    let before = match surrounded.previous() {
        Previous::Same => "",
        Previous::Clean => ", after a large tenant that wrote nothing",
        Previous::Dirty => ", after a large tenant that dirtied all its memory",
    };
    let caches = match surrounded.caches() {
        Caches::Cold => "",
        Caches::Warm => ", caches warm",
    };
    let threads = match surrounded.threads() {
        1 => String::new(),
        threads => format!(", on {threads} threads at once"),
    };
    let neighbour = match surrounded.neighbour() {
        Neighbour::Nothing => "",
        Neighbour::Spinning => ", beside a spinning thread",
    };
    format!("{touched}{width}{before}{caches}{threads}{neighbour}")
}

/// A heading for the costs in a setting.
pub(super) fn cost_by_strategy(setting: &Setting) -> String {
    format!("Cost by reset strategy, {}", words(setting))
}

/// The settings that the points of a fit are in.
pub(super) fn settings(fit: &Fit) -> Vec<Setting> {
    let points = fit.strategies.iter().flat_map(|fit| &fit.points);
    let mut settings: Vec<Setting> = points.map(|found| Setting::of(&found.point)).collect();
    settings.sort_unstable();
    settings.dedup();
    settings
}

/// The point of a strategy at a level of pages in a setting.
pub(super) fn at<'a>(fit: &'a Fit, strategy: &str, setting: &Setting, pages: Pages) -> Option<&'a PointFit> {
    let here = |found: &&PointFit| found.point.initial_pages() == pages && Setting::of(&found.point) == *setting;
    fit.strategy(strategy)?.points.iter().find(here)
}

/// The levels of pages in a setting.
pub(super) fn levels(fit: &Fit, setting: &Setting) -> Vec<Pages> {
    let points = fit.strategies.iter().flat_map(|fit| &fit.points);
    let mut levels: Vec<Pages> =
        points.filter(|found| Setting::of(&found.point) == *setting).map(|found| found.point.initial_pages()).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// The cost under every strategy at every level of pages in a setting, each with half of its 95 % interval.
pub(super) fn costs(fit: &Fit, setting: &Setting) -> Grid {
    let names = || fit.strategies.iter().map(|fit| fit.strategy.clone());
    let headers = std::iter::once("pages".to_owned()).chain(names()).collect();
    let cell = |strategy: String, pages: Pages| {
        at(fit, &strategy, setting, pages).map_or_else(
            || "–".into(),
            |found| {
                let half = (found.cost.high - found.cost.low) / 2.0;
                format!("{} ± {}", Nanos(found.cost.value), Nanos(half))
            },
        )
    };
    let row =
        |pages: Pages| std::iter::once(pages.0.to_string()).chain(names().map(|name| cell(name, pages))).collect();
    Grid { headers, rows: levels(fit, setting).into_iter().map(row).collect() }
}

/// Which strategy is the cheapest at which sizes, a sentence for each setting. Medians decide; intervals may overlap.
pub(super) fn cheapest(fit: &Fit) -> Vec<String> {
    if fit.strategies.len() < 2 {
        return Vec::new();
    }
    settings(fit).iter().filter_map(|setting| cheapest_in(fit, setting)).collect()
}

fn cheapest_in(fit: &Fit, setting: &Setting) -> Option<String> {
    let mut ranges: Vec<(&str, Pages, Pages)> = Vec::new();
    for pages in levels(fit, setting) {
        let here: Option<Vec<(f64, &str)>> = (fit.strategies.iter())
            .map(|of| Some((at(fit, &of.strategy, setting, pages)?.cost.value, of.strategy.as_str())))
            .collect();
        let Some((_, name)) = here.and_then(|here| here.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))) else {
            continue;
        };
        match ranges.last_mut() {
            Some((last, _, to)) if *last == name => *to = pages,
            _ => ranges.push((name, pages, pages)),
        }
    }
    let range = |(name, from, to): (&str, Pages, Pages)| {
        if from == to { format!("{name} at {from}") } else { format!("{name} from {} to {to}", from.0) }
    };
    let ranges: Vec<String> = ranges.into_iter().map(range).collect();
    (!ranges.is_empty()).then(|| format!("Cheapest by median, {}: {}.", words(setting), ranges.join(", then ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Levels;
    use crate::experiment::memory::TOUCHED_PAGES;
    use crate::experiment::strategies::PREVIOUS;

    fn point(initial: u32, touched: u32, conditions: &Levels) -> Point {
        let mut point = Point::of_memory("touch-memory", "v", "fresh-map", Pages(initial));
        for (factor, level) in conditions.unusual() {
            point.levels.set(factor, level);
        }
        point.with(&TOUCHED_PAGES, touched.into())
    }

    #[test]
    fn headings_name_every_factor() {
        let dirty = Levels::default().with(&PREVIOUS, Previous::Dirty as u64);
        let usual = Levels::default();
        let heading = |initial, touched, conditions| words(&Setting::of(&point(initial, touched, conditions)));
        assert_eq!(heading(17, 17, &usual), "every page touched");
        assert_eq!(
            heading(1024, 64, &dirty),
            "1/16 of the pages touched, after a large tenant that dirtied all its memory"
        );
        assert_eq!(Setting::of(&point(64, 16, &dirty)), Setting::of(&point(1024, 256, &dirty)));
    }
}
