//! Which runs go together.

use super::error::Error;
use super::stored::machine_class;
use crate::experiment::{Experiment, Point};
use crate::measure::{Plan, RunFile, Samples};
use crate::params::ChainSettings;

/// What may be put together that would otherwise be refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mixing {
    /// Runs of different machines: `fit` fits each apart, and the table is their upper envelope; the others hold them against each other.
    pub across_machines: bool,
    /// Runs of different contract sets.
    pub across_contract_sets: bool,
}

impl Mixing {
    /// Makes sure that two runs may be put together.
    pub(super) fn check(self, one: &RunFile, other: &RunFile) -> Result<(), Error> {
        let differ = |what: &str, a: &str, b: &str, way_out: &str| {
            Err(Error::Incompatible(format!("{} has {what} {a} and {} has {b}: {way_out}", one.run, other.run)))
        };
        let [of_one, of_other] = [one, other].map(|run| run.plan.experiment);
        if !go_together(of_one, of_other) {
            let [one_is, other_is] = [of_one, of_other].map(ToString::to_string);
            return differ("experiment", &one_is, &other_is, "only runs of one experiment go together");
        }
        if one.wasmtime != other.wasmtime {
            return differ("Wasmtime", &one.wasmtime, &other.wasmtime, "a table is about one version; measure again");
        }
        let probes = [one, other].map(|run| run.plan.probe.to_string());
        if probes[0] != probes[1] {
            let way_out = "times relative to them are of two units; measure again";
            return differ("reference probe", &probes[0], &probes[1], way_out);
        }
        let evicted = [one, other].map(|run| run.plan.evict.to_string());
        if evicted[0] != evicted[1] {
            let way_out = "a colder cache is another cost and another probe; measure again with one reference";
            return differ("eviction", &evicted[0], &evicted[1], way_out);
        }
        if !self.across_contract_sets && one.contract_set != other.contract_set {
            let way_out = "give --across-contract-sets if that is meant";
            return differ("contract set", &one.contract_set, &other.contract_set, way_out);
        }
        let alike = one.machine.class().is_some() && one.machine.class() == other.machine.class();
        if !self.across_machines && one.run != other.run && !alike {
            return differ(
                "machine class",
                &machine_class(one),
                &machine_class(other),
                "give --across-machines for their upper envelope",
            );
        }
        Ok(())
    }
}

/// Whether two experiments time the same: of those of memory the cycle is one.
fn go_together(one: &Experiment, other: &Experiment) -> bool {
    one == other || one.is_of_memory() && other.is_of_memory()
}

/// Makes sure that a pool was measured as the chain sets it up.
pub(super) fn as_set_up(run: &RunFile, chain: &ChainSettings) -> Result<(), Error> {
    let Plan { keep_resident, pool_slots, .. } = run.plan;
    let measured = ChainSettings { keep_resident, pool_slots, ..chain.clone() }.strategy_in_full();
    let asked = chain.strategy_in_full();
    if measured == asked {
        return Ok(());
    }
    let text =
        format!("{} measured {measured}, and the chain runs {asked}: measure again with this chain file", run.run);
    Err(Error::Incompatible(text))
}

/// The samples of what the chain allows, and a note on what it does not: samples may be of a run for another chain.
pub(super) fn within_limits(samples: Samples, chain: &ChainSettings) -> Result<(Samples, Option<String>), Error> {
    let allowed = |point: &Point| {
        point.initial_pages() <= chain.initial_pages_max
            && point.initial_pages().max(point.touched_pages()) <= chain.pages_max
    };
    let beyond = samples.points.iter().filter(|point| !allowed(point)).count();
    if beyond == 0 {
        return Ok((samples, None));
    }
    let limit = format!("the chain's limits of {} at first and {} in all", chain.initial_pages_max, chain.pages_max);
    let of = samples.points.len();
    if beyond == of {
        let text = format!("all {of} points of the run are beyond {limit}: measure contracts that the chain allows");
        return Err(Error::Failed(text));
    }
    Ok((samples.only(allowed), Some(format!("{beyond} of {of} points are left out, beyond {limit}"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::deploy::{CRANELIFT, WINCH};
    use crate::experiment::load::{LOAD, LOAD_MEMORY};
    use crate::experiment::{MEMORY, find};

    /// Both compilers have a phase of one name, and so have loads.
    #[test]
    fn experiments_whose_phases_have_the_same_names_do_not_go_together() {
        assert!(!go_together(&CRANELIFT, &WINCH) && !go_together(&LOAD, &LOAD_MEMORY));
        assert!(go_together(&WINCH, &WINCH) && go_together(&MEMORY, find("strategies").unwrap()));
    }
}
