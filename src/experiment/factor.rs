use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use crate::units::{Bytes, Pages};

/// Something that points differ in.
#[derive(Debug, PartialEq, Eq)]
pub struct Factor {
    /// Its name in files.
    pub name: &'static str,
    /// What its levels count.
    pub unit: Unit,
    /// Where a level comes from.
    pub source: Source,
    /// The names of its levels, if they have some: a level is then an index into them.
    pub names: &'static [&'static str],
    /// The level of points that do not say.
    pub usual: u64,
    /// How a label of a point says a level, in the place of `{}`; empty if the variant's name says it.
    pub phrase: &'static str,
}

/// What a level counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Wasm pages of 64 KiB.
    Pages,
    /// Bytes.
    Bytes,
    /// Things, such as threads.
    Count,
    /// Nothing: levels have names.
    Name,
}

/// What the plan varies, in numbers of a unit.
pub(super) const fn planned(name: &'static str, unit: Unit) -> Factor {
    Factor { name, unit, source: Source::Plan, names: &[], usual: 0, phrase: "" }
}

/// The ways of doing the same that the plan varies, the usual one first.
pub(super) const fn ways(name: &'static str, names: &'static [&'static str]) -> Factor {
    Factor { name, unit: Unit::Name, source: Source::Plan, names, usual: 0, phrase: "" }
}

/// Lists of factors as one, so that experiments share them.
///
/// # Panics
/// At compile time, if the lists hold more or fewer than `N`.
pub(super) const fn joined<const N: usize>(lists: &[&[&'static Factor]]) -> [&'static Factor; N] {
    let mut all = [lists[0][0]; N];
    let (mut at, mut list) = (0, 0);
    while list < lists.len() {
        let mut place = 0;
        while place < lists[list].len() {
            all[at] = lists[list][place];
            at += 1;
            place += 1;
        }
        list += 1;
    }
    assert!(at == N);
    all
}

/// Where the level of a factor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// It is read back from the module.
    Module,
    /// The plan decides it for each point of a module.
    Plan,
    /// The plan decides what surrounds the cycle.
    Condition,
    /// It is the process that the cycle runs in.
    Process,
}

impl Source {
    /// Whether the level is of what surrounds the cycle, and not of the cycle itself.
    #[must_use]
    pub const fn surrounds(self) -> bool {
        matches!(self, Self::Condition | Self::Process)
    }
}

/// A text that is no level of its factor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseLevelError {
    /// It is none of the names.
    #[error("`{found}` is none of {}", names.join(", "))]
    Name {
        /// The text.
        found: String,
        /// The names.
        names: &'static [&'static str],
    },
    /// It is no number.
    #[error("`{found}` is not a whole number from 0 to {most}")]
    Number {
        /// The text.
        found: String,
        /// The largest level.
        most: u64,
    },
}

impl Factor {
    /// The level that a text stands for.
    ///
    /// # Errors
    /// It is none of the names, or no number within the range of its unit.
    pub fn parse(&self, text: &str) -> Result<u64, ParseLevelError> {
        if self.unit == Unit::Name {
            let found = (0..).zip(self.names).find(|(_, name)| **name == text).map(|(level, _)| level);
            return found.ok_or_else(|| ParseLevelError::Name { found: text.into(), names: self.names });
        }
        let most = self.most();
        let number = text.parse().ok().filter(|level| *level <= most);
        number.ok_or_else(|| ParseLevelError::Number { found: text.into(), most })
    }

    /// A level as it is written in files.
    #[must_use]
    pub fn text(&self, level: u64) -> String {
        match self.name_of(level) {
            Some(name) => name.to_owned(),
            None => level.to_string(),
        }
    }

    /// A level for people, with its unit.
    #[must_use]
    pub fn shown(&self, level: u64) -> String {
        match self.unit {
            Unit::Pages => Pages(u32::try_from(level).unwrap_or(u32::MAX)).to_string(),
            Unit::Bytes => Bytes(level).to_string(),
            Unit::Count | Unit::Name => self.text(level),
        }
    }

    /// The name of a level, if it has one.
    #[must_use]
    pub fn name_of(&self, level: u64) -> Option<&'static str> {
        usize::try_from(level).ok().and_then(|level| self.names.get(level)).copied()
    }

    /// The largest level.
    #[must_use]
    pub const fn most(&self) -> u64 {
        match self.unit {
            Unit::Pages | Unit::Count => u32::MAX as u64,
            // Of a file format; TOML's integers are signed.
            Unit::Bytes => i64::MAX as u64,
            Unit::Name => self.names.len() as u64 - 1,
        }
    }
}

impl PartialOrd for Factor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Factor {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

impl Hash for Factor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
