//! Which runs go together.

use clap::Args;

use super::analysis::machine_class;
use super::exit::IncompatibleError;
use crate::measure::RunFile;

/// What may be put together that would otherwise be refused.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Mixing {
    /// Put runs of different machines together: each is fitted apart, and the table is their upper envelope
    #[arg(long)]
    across_machines: bool,
    /// Put runs of different contract sets together
    #[arg(long)]
    across_contract_sets: bool,
}

impl Mixing {
    /// Makes sure that two runs may be put together.
    pub fn check(self, one: &RunFile, other: &RunFile) -> Result<(), IncompatibleError> {
        let differ = |what: &str, a: &str, b: &str, way_out: &str| {
            Err(IncompatibleError(format!("{} has {what} {a} and {} has {b}: {way_out}", one.run, other.run)))
        };
        if one.wasmtime != other.wasmtime {
            return differ("Wasmtime", &one.wasmtime, &other.wasmtime, "a table is about one version; measure again");
        }
        let probes = [one, other].map(|run| run.plan.probe.to_string());
        if probes[0] != probes[1] {
            let way_out = "times relative to them are of two units; measure again";
            return differ("reference probe", &probes[0], &probes[1], way_out);
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
