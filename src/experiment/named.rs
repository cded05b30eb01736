//! What is found in the experiments by the names that files use.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, Error};

use super::EXPERIMENTS;
use super::factor::Factor;
use super::point::Levels;
use super::spec::{Experiment, Parameter, Regressor, Term};
use super::tier;

/// The experiment of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.into_iter().find(|experiment| experiment.name == name)
}

/// Every parameter that some experiment sets, in the order of a table, but for those of tiers, of which there are too many.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    EXPERIMENTS.into_iter().filter(|experiment| experiment.proposes).flat_map(Experiment::parameters)
}

/// The term of this name, whichever experiment prices it.
#[must_use]
pub fn find_term(name: &str) -> Option<&'static Term> {
    let by_size = EXPERIMENTS.iter().filter_map(|experiment| experiment.by_size).map(|of| &of.term);
    terms().chain(by_size).find(|term| term.name == name).or_else(|| tier::find(name))
}

/// The term that sets the parameter of this name, whichever experiment prices it. That of a charge by size is none: it is in no sum with them.
#[must_use]
pub fn term_of_parameter(name: &str) -> Option<&'static Term> {
    terms().find(|term| term.parameter.name == name).or_else(|| tier::of_parameter(name))
}

fn terms() -> impl Iterator<Item = &'static Term> {
    EXPERIMENTS.iter().flat_map(|experiment| experiment.terms.iter().copied())
}

/// The factor of this name, whichever experiment varies it.
#[must_use]
pub fn find_factor(name: &str) -> Option<&'static Factor> {
    EXPERIMENTS.iter().flat_map(|experiment| experiment.factors).copied().find(|factor| factor.name == name)
}

impl<'de> Deserialize<'de> for &'static Regressor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = EXPERIMENTS.iter().find_map(|experiment| experiment.regressor(&name));
        let found = found.or_else(|| tier::find_bend(&name));
        found.ok_or_else(|| D::Error::custom(format!("`{name}` is not a regressor of this version")))
    }
}

impl<'de> Deserialize<'de> for &'static Term {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        find_term(&name).ok_or_else(|| D::Error::custom(format!("`{name}` is not a term of this version")))
    }
}

impl<'de> Deserialize<'de> for &'static Experiment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        find(&name).ok_or_else(|| D::Error::custom(format!("`{name}` is not an experiment of this version")))
    }
}

impl<'de> Deserialize<'de> for Levels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_one_factor_is_one_value() {
        let names: BTreeSet<_> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        assert_eq!(names.len(), EXPERIMENTS.len());
        for experiment in EXPERIMENTS {
            let columns: Vec<_> = experiment.columns().collect();
            assert_eq!(columns.iter().collect::<BTreeSet<_>>().len(), columns.len(), "{}", experiment.name);
            for &factor in experiment.factors {
                assert_eq!(find_factor(factor.name), Some(factor), "two factors are named {}", factor.name);
            }
            for &term in experiment.terms {
                assert_eq!(find_term(term.name), Some(term), "two terms are named {}", term.name);
            }
        }
        let parameters: Vec<_> = parameters().map(|parameter| parameter.name).collect();
        assert_eq!(parameters.iter().collect::<BTreeSet<_>>().len(), parameters.len(), "{parameters:?}");
    }
}
