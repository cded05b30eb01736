use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use super::factor::{Factor, Source, Unit};

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
pub struct Levels(BTreeMap<&'static Factor, u64>);

impl Levels {
    /// The level of a factor.
    #[must_use]
    pub fn get(&self, factor: &Factor) -> u64 {
        self.0.get(factor).copied().unwrap_or(factor.usual)
    }

    /// Sets the level of a factor.
    pub fn set(&mut self, factor: &'static Factor, level: u64) {
        if level == factor.usual {
            self.0.remove(factor);
        } else {
            self.0.insert(factor, level);
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
        self.0.iter().map(|(&factor, &level)| (factor, level))
    }

    /// Those of what surrounds the cycle.
    #[must_use]
    pub fn surroundings(&self) -> Self {
        Self(self.unusual().filter(|(factor, _)| factor.source.surrounds()).collect())
    }

    /// These, and those that are not usual of the others.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        for (factor, level) in others.unusual() {
            self.set(factor, level);
        }
        self
    }

    /// How those are told that are not usual: of what surrounds the cycle, or of the cycle itself.
    pub fn phrases(&self, surrounds: bool) -> impl Iterator<Item = String> {
        self.unusual()
            .filter(move |(factor, _)| factor.source.surrounds() == surrounds && !factor.phrase.is_empty())
            .map(|(factor, level)| {
                let phrase = factor.phrase.replace("{}", &factor.shown(level));
                let is_one = factor.unit == Unit::Count && level == 1;
                if is_one { phrase.trim_end_matches('s').to_owned() } else { phrase }
            })
    }

    /// Those of one source.
    #[must_use]
    pub fn of_source(&self, source: Source) -> Self {
        Self(self.unusual().filter(|(factor, _)| factor.source == source).collect())
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

    /// The same call with nothing unusual around it.
    #[must_use]
    pub fn in_usual_surroundings(&self) -> Self {
        let own = self.levels.unusual().filter(|(factor, _)| !factor.source.surrounds()).collect();
        Self { levels: Levels(own), ..self.clone() }
    }

    /// Whether nothing unusual surrounds the cycle.
    #[must_use]
    pub fn is_undisturbed(&self) -> bool {
        self.levels.surroundings() == Levels::default()
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
            levels.0.remove(factor);
        }
        Self { levels, ..self.clone() }
    }

    /// The name by which messages speak of this point: `touch-memory/pages17-stack64KiB touching 17 pages under fresh-map`.
    ///
    /// What is usual is not said, and the variant's name says what the module is.
    #[must_use]
    pub fn label(&self) -> String {
        let mut label = format!("{}/{}", self.contract, self.variant);
        let said = |surrounds| self.levels.phrases(surrounds);
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
