use serde::{Deserialize, Serialize};

use crate::experiment::{Levels, Point};
use crate::units::Pages;

/// Shares of the declared pages that are planned to be touched, beside none and a single page: one in so many.
pub(super) const SHARES: [u32; 3] = [16, 4, 1];

/// What points of all strategies and levels of pages have in common when they are compared: the conditions, and which part of the
/// declared pages is touched.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Setting {
    /// What surrounds the cycle.
    #[serde(default)]
    pub conditions: Levels,
    /// The part that is touched.
    pub share: Share,
}

/// The part of the declared pages that is touched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// Every one.
    #[default]
    All,
    /// One in so many.
    OneIn(u32),
    /// A single one of several, where that is none of the planned shares: what even the smallest call touches.
    OnePage,
    /// None.
    None,
}

impl Setting {
    /// The setting of a point.
    #[must_use]
    pub fn of(point: &Point) -> Self {
        let share = match point.touched_pages() {
            Pages(0) => Share::None,
            touched if touched >= point.initial_pages() => Share::All,
            Pages(1) if !SHARES.contains(&point.initial_pages().0) => Share::OnePage,
            touched => Share::OneIn(point.initial_pages().0 / touched.0),
        };
        Self { conditions: point.levels.surroundings(), share }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::memory::TOUCHED_PAGES;

    /// Otherwise the columns of 1/4 and 1/16 lack a level, and runs that were planned without single pages read otherwise than before.
    #[test]
    fn one_page_that_is_a_planned_share_is_of_that_share() {
        let share = |initial, touched: u32| {
            let point = Point::of_memory("touch-memory", "v", "fresh-map", Pages(initial));
            Setting::of(&point.with(&TOUCHED_PAGES, touched.into())).share
        };
        let of_one = [1, 2, 4, 16, 17, 64].map(|initial| share(initial, 1));
        let (quarter, sixteenth) = (Share::OneIn(4), Share::OneIn(16));
        assert_eq!(of_one, [Share::All, Share::OnePage, quarter, sixteenth, Share::OnePage, Share::OnePage]);
        assert_eq!([share(64, 16), share(64, 4), share(64, 0)], [quarter, sixteenth, Share::None]);
    }
}
