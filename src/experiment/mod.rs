//! What can be measured: each experiment is a value that names its factors, its phases and what is priced.
//!
//! This is the lowest floor that knows what is measured. Plans, samples, models, tables and reports read the value.

pub mod memory;
mod point;
mod spec;
pub mod strategies;

pub use memory::MEMORY;
pub use point::{Levels, ParseLevelError, Point};
pub use spec::{
    BASE, Check, Column, Counter, Experiment, Factor, Parameter, Phase, Price, Reference, Regressor, Source, Term, Unit,
};
pub use strategies::{Caches, Neighbour, Previous, STRATEGIES, WriteWidth};

/// Every experiment, the one that is measured unless asked otherwise first.
pub static EXPERIMENTS: [&Experiment; 2] = [&MEMORY, &STRATEGIES];

/// The experiment of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.into_iter().find(|experiment| experiment.name == name)
}

/// Every parameter that some experiment sets, in the order of a table.
pub fn parameters() -> impl Iterator<Item = &'static Parameter> {
    EXPERIMENTS.into_iter().filter(|experiment| experiment.proposes).flat_map(Experiment::parameters)
}

/// The term of this name, whichever experiment prices it.
#[must_use]
pub fn find_term(name: &str) -> Option<&'static Term> {
    EXPERIMENTS.iter().flat_map(|experiment| experiment.terms).find(|term| term.name == name)
}

/// The factor of this name, whichever experiment varies it.
#[must_use]
pub fn find_factor(name: &str) -> Option<&'static Factor> {
    EXPERIMENTS.iter().flat_map(|experiment| experiment.factors).copied().find(|factor| factor.name == name)
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
            for term in experiment.terms {
                assert_eq!(find_term(term.name), Some(term), "two terms are named {}", term.name);
            }
        }
        let parameters: Vec<_> = parameters().map(|parameter| parameter.name).collect();
        assert_eq!(parameters.iter().collect::<BTreeSet<_>>().len(), parameters.len(), "{parameters:?}");
    }
}
