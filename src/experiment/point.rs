use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Factor, Source, Unit, find_factor};
use crate::units::{Bytes, Pages};

/// One combination of factor levels, measured again and again.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Name of the contract, that of its folder.
    pub contract: String,
    /// Name of the compiled variant, unique within its contract.
    pub variant: String,
    /// Name of the reset strategy.
    pub strategy: String,
    /// What it varies.
    #[serde(default)]
    pub levels: Levels,
}

/// Levels by factor. A factor that is not there has its usual level, so that equal points are equal values.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Levels(BTreeMap<&'static str, u64>);

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

impl Levels {
    /// The level of a factor.
    #[must_use]
    pub fn get(&self, factor: &Factor) -> u64 {
        self.0.get(factor.name).copied().unwrap_or(factor.usual)
    }

    /// Sets the level of a factor.
    pub fn set(&mut self, factor: &'static Factor, level: u64) {
        if level == factor.usual {
            self.0.remove(factor.name);
        } else {
            self.0.insert(factor.name, level);
        }
    }

    /// These with another level.
    #[must_use]
    pub fn with(mut self, factor: &'static Factor, level: u64) -> Self {
        self.set(factor, level);
        self
    }

    /// Those that are not usual, by factor.
    pub fn unusual(&self) -> impl Iterator<Item = (&'static Factor, u64)> {
        self.0.iter().filter_map(|(name, &level)| Some((find_factor(name)?, level)))
    }

    /// Those of one source.
    #[must_use]
    pub fn of_source(&self, source: Source) -> Self {
        Self(self.unusual().filter(|(factor, _)| factor.source == source).map(|(f, level)| (f.name, level)).collect())
    }
}

impl Point {
    /// The level of a factor, in its unit.
    #[must_use]
    pub fn level(&self, factor: &Factor) -> u64 {
        self.levels.get(factor)
    }

    /// The point with another level.
    #[must_use]
    pub fn with(mut self, factor: &'static Factor, level: u64) -> Self {
        self.levels.set(factor, level);
        self
    }

    /// The same under another strategy; under one without a name it is what points of all strategies have in common.
    #[must_use]
    pub fn under(&self, strategy: &str) -> Self {
        Self { strategy: strategy.into(), ..self.clone() }
    }

    /// Whether nothing unusual surrounds the cycle.
    #[must_use]
    pub fn is_undisturbed(&self) -> bool {
        self.levels.of_source(Source::Condition) == Levels::default()
    }

    /// What points have in common that differ in this factor alone, and so are of several variants.
    #[must_use]
    pub fn apart_from(&self, factor: &'static Factor) -> Self {
        Self { variant: String::new(), ..self.without(&[factor]) }
    }

    /// What is left when factors do not count: points that differ in nothing else have it in common.
    #[must_use]
    pub fn without(&self, factors: &[&'static Factor]) -> Self {
        let mut levels = self.levels.clone();
        for factor in factors {
            levels.0.remove(factor.name);
        }
        Self { levels, ..self.clone() }
    }

    /// The name by which messages speak of this point: `touch-memory/pages17-stack64KiB touching 17 pages under fresh-map`.
    ///
    /// What is usual is not said, and the variant's name says what the module is.
    #[must_use]
    pub fn label(&self) -> String {
        let said = |conditions: bool| {
            self.levels
                .unusual()
                .filter(move |(factor, _)| {
                    (factor.source == Source::Condition) == conditions && !factor.phrase.is_empty()
                })
                .map(|(factor, level)| factor.phrase.replace("{}", &factor.shown(level)))
        };
        let mut label = format!("{}/{}", self.contract, self.variant);
        for part in said(false).chain([format!("under {}", self.strategy)]).chain(said(true)) {
            label.push(' ');
            label.push_str(&part);
        }
        label
    }
}

impl Serialize for Levels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Level {
            Number(u64),
            Name(&'static str),
        }
        serializer.collect_map(
            self.unusual()
                .map(|(factor, level)| (factor.name, factor.name_of(level).map_or(Level::Number(level), Level::Name))),
        )
    }
}

impl<'de> Deserialize<'de> for Levels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a level: a whole number or a name")]
        enum Level {
            Number(u64),
            Name(String),
        }
        let mut levels = Self::default();
        for (name, level) in BTreeMap::<String, Level>::deserialize(deserializer)? {
            let factor = find_factor(&name)
                .ok_or_else(|| D::Error::custom(format!("`{name}` is not a factor of this version")))?;
            let text = match level {
                Level::Number(level) => level.to_string(),
                Level::Name(name) => name,
            };
            levels.set(factor, factor.parse(&text).map_err(|e| D::Error::custom(format!("`{name}`: {e}")))?);
        }
        Ok(levels)
    }
}
