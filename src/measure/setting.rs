use serde::{Deserialize, Serialize};

use crate::experiment::{Levels, Point};
use crate::units::Pages;

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
    /// A single one of several: what even the smallest call touches.
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
            Pages(1) => Share::OnePage,
            touched => Share::OneIn(point.initial_pages().0 / touched.0),
        };
        Self { conditions: point.levels.surroundings(), share }
    }
}
