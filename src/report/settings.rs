//! The words for what surrounds a cycle.

use crate::experiment::conditions::PREVIOUS;
use crate::experiment::node::SPINNING_THREADS;
use crate::experiment::{Caches, Point, Previous, WriteWidth};
use crate::measure::{Setting, Share};

/// The words for a setting, every factor named.
pub(super) fn words(setting: &Setting) -> String {
    let surrounded = Point { levels: setting.conditions.clone(), ..Point::default() };
    let touched = match setting.share {
        Share::All => "every page touched".to_owned(),
        Share::OneIn(part) => format!("1/{part} of the pages touched"),
        Share::OnePage => "one page touched".to_owned(),
        Share::None => "no page touched".to_owned(),
    };
    let before = match surrounded.previous() {
        Previous::Same => "",
        Previous::Clean => ", after a large tenant that wrote nothing",
        Previous::Dirty => ", after a large tenant that dirtied all its memory",
        Previous::LongGone => ", after 25 ms without a call",
        Previous::Foreign => ", after 64 MiB were mapped, written and unmapped outside of the runtime",
    };
    let others = surrounded.without(&[&PREVIOUS]).levels;
    [format!("{touched}{before}")].into_iter().chain(others.phrases(true)).collect::<Vec<_>>().join(", ")
}

/// A heading for the costs in a setting.
pub(super) fn cost_by_strategy(setting: &Setting) -> String {
    format!("Cost by reset strategy, {}", words(setting))
}

/// The same for a column, without what was before.
pub(super) fn short(setting: &Setting) -> String {
    let surrounded = Point { levels: setting.conditions.clone(), ..Point::default() };
    let share = share(setting.share, "all");
    let width = match surrounded.write_width() {
        WriteWidth::HostPage => "",
        WriteWidth::EveryByte => ", bytes",
        WriteWidth::Scattered => ", scattered",
    };
    let caches = if surrounded.caches() == Caches::Warm { ", warm" } else { "" };
    let threads = surrounded.threads();
    let threads = if threads > 1 { format!(", {threads} threads") } else { String::new() };
    let spinning = if surrounded.level(&SPINNING_THREADS) > 0 { ", spinning" } else { "" };
    format!("{share}{width}{caches}{threads}{spinning}")
}

/// A share in few letters.
pub(super) fn share(share: Share, all: &str) -> String {
    match share {
        Share::All => all.to_owned(),
        Share::OneIn(part) => format!("1/{part}"),
        Share::OnePage => "1 page".to_owned(),
        Share::None => "none".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Levels;
    use crate::experiment::memory::TOUCHED_PAGES;
    use crate::units::Pages;

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
