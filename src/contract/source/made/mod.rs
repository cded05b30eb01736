//! Modules made for the experiments on what a module declares: one factor at a time around one that has a little of everything; mixed
//! ones; and for deploying ones that are made of what takes longest.

mod body;
mod deploy;
mod heavy;
mod load;
mod shape;
mod usual;

use shape::Shape;

use crate::contract::error::ContractError;
use crate::contract::factors::Limits;
use crate::contract::module::artifact::Artifact;
use crate::experiment::{deploy as deploying, load as loading};

/// Every module for loading that the chain's limits allow.
///
/// # Errors
/// None that a limit could cause; what is found at fault in a module is passed on.
pub fn made_to_load(limits: Limits) -> Result<Vec<Artifact>, ContractError> {
    artifacts(limits, [(loading::CONTRACT, load::alone()), (loading::MIXED, numbered("mix", &load::MIXES))])
}

/// Every module for deploying that the chain's limits allow.
///
/// # Errors
/// As [`made_to_load`].
pub fn made_to_deploy(limits: Limits) -> Result<Vec<Artifact>, ContractError> {
    artifacts(
        limits,
        [
            (deploying::CONTRACT, deploy::alone()),
            (deploying::MIXED, numbered("mix", &deploy::mixes())),
            (deploying::HOSTILE, deploy::hostile()),
        ],
    )
}

fn numbered(name: &str, shapes: &[Shape]) -> Vec<(String, Shape)> {
    (1..).zip(shapes).map(|(number, shape)| (format!("{name}{number}"), *shape)).collect()
}

fn artifacts<const N: usize>(
    limits: Limits,
    contracts: [(&str, Vec<(String, Shape)>); N],
) -> Result<Vec<Artifact>, ContractError> {
    let shapes = contracts.into_iter().flat_map(|(contract, shapes)| shapes.into_iter().map(move |of| (contract, of)));
    let allowed = shapes.filter(|(_, (_, shape))| shape.pages() <= limits.initial_pages_max);
    allowed.map(|(contract, (name, shape))| shape.artifact(contract, name, limits)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::contract::{deploy_levels, load_levels};
    use crate::experiment::declared::{
        BRANCH_TARGETS, CODE_BYTES, DATA_SEGMENTS, ELEMENTS, ESCAPES, FUNCTION_INSTRUCTIONS, FUNCTIONS, HAS_DATA,
        HAS_STARTUP, INSTRUCTIONS, LOCALS, STACK_HEIGHT, TYPE_VALUES, TYPES, USED_LOCALS,
    };
    use crate::experiment::deploy::VALIDATE;
    use crate::experiment::{Column, Experiment, Factor, LOAD, Levels};
    use crate::units::Pages;

    type Named = Vec<(String, Levels)>;

    fn to_load(limits: Limits) -> Named {
        let made = made_to_load(limits).unwrap();
        made.iter()
            .map(|made| (format!("{}/{}", made.contract, made.variant), load_levels(&made.wasm).unwrap()))
            .collect()
    }

    fn to_deploy(limits: Limits) -> Named {
        let made = made_to_deploy(limits).unwrap();
        let named =
            |made: &Artifact| (format!("{}/{}", made.contract, made.variant), deploy_levels(&made.wasm).unwrap());
        made.iter().map(named).collect()
    }

    const LIMITS: Limits = Limits { initial_pages_max: Pages(1024), pages_max: Pages(2048) };

    /// How many levels each factor has among the modules that are fitted, at least; a factor that is or is not has two.
    fn levels_of_each(experiment: &Experiment, made: &Named, least: usize) {
        assert_eq!(made.iter().map(|(_, levels)| levels).collect::<BTreeSet<_>>().len(), made.len());
        let own = made.iter().filter(|(name, _)| !name.contains("-mixed") && !name.contains("-hostile"));
        let of = |factor: &Factor| own.clone().map(|(_, levels)| levels.get(factor)).collect::<BTreeSet<_>>().len();
        for term in experiment.terms {
            let Column::Level(factor) = term.column else { panic!("{}", term.name) };
            assert!(
                of(factor) >= if [&HAS_DATA, &HAS_STARTUP].contains(&factor) { 2 } else { least },
                "{}: {}",
                term.name,
                of(factor)
            );
        }
    }

    #[test]
    fn every_factor_has_its_levels_and_every_module_its_own() {
        levels_of_each(&LOAD, &to_load(LIMITS), 5);
        levels_of_each(&VALIDATE, &to_deploy(LIMITS), 4);
    }

    #[test]
    fn a_module_has_what_its_name_says() {
        let levels: Named = to_load(LIMITS).into_iter().chain(to_deploy(LIMITS)).collect();
        let of = |name: &str, factor: &Factor| {
            levels.iter().find(|(other, _)| other == name).map(|(_, levels)| levels.get(factor))
        };
        assert_eq!(of("load/types128", &TYPES), Some(129));
        assert_eq!(of("load/functions512", &FUNCTIONS), Some(513));
        assert_eq!(of("load/elements64", &ELEMENTS), Some(64));
        assert_eq!(of("deploy/escapes256", &ESCAPES), Some(256));
        assert_eq!(of("deploy/branches512", &BRANCH_TARGETS), Some(512));
        assert!(of("deploy/locals10000", &LOCALS).is_some_and(|locals| (10_000..10_200).contains(&locals)));
        assert_eq!(
            of("load/values128", &TYPE_VALUES).zip(of("load/values8", &TYPE_VALUES)).map(|(a, b)| a - b),
            Some(16 * 120)
        );
        assert_eq!(of("deploy/segments128", &DATA_SEGMENTS), Some(128));
    }

    /// Whatever an instruction's length, a charge by their number covers it.
    #[test]
    fn instructions_are_of_one_byte_and_of_many() {
        let levels = to_deploy(LIMITS);
        let length = |name: &str| {
            let (_, levels) = levels.iter().find(|(other, _)| other == name).unwrap();
            levels.get(&CODE_BYTES) / levels.get(&INSTRUCTIONS)
        };
        assert_eq!([length("deploy-hostile/dense64"), length("deploy-hostile/wide64")], [1, 5]);
    }

    /// A limit that no module reaches together with the others would say nothing of their product.
    #[test]
    fn one_module_has_the_largest_function_over_the_most_locals() {
        let levels = to_deploy(LIMITS);
        let of = |factor: &Factor| {
            let most = levels.iter().map(|(_, levels)| levels.get(factor)).max();
            levels
                .iter()
                .filter(|(_, levels)| Some(levels.get(factor)) == most)
                .map(|(name, _)| &**name)
                .collect::<Vec<_>>()
        };
        for factor in [&USED_LOCALS, &STACK_HEIGHT] {
            assert!(of(factor).contains(&"deploy-hostile/live64"), "{:?}", of(factor));
        }
        assert_eq!(of(&FUNCTION_INSTRUCTIONS), ["deploy-hostile/live64"]);
    }

    #[test]
    fn memories_that_the_chain_forbids_are_left_out() {
        let limits = Limits { initial_pages_max: Pages(16), pages_max: Pages(16) };
        assert!(to_load(limits).len() + 1 == to_load(LIMITS).len());
    }
}
