//! What a contract pays for beside its memory, each by a table of its own.

use std::path::Path;

use super::error::Error;
use super::session::Session;
use super::tables::TableSource;
use crate::contract::{FactsError, levels_of, reads_levels};
use crate::experiment::declared::{ARTIFACT_BYTES, WORST_MIX};
use crate::experiment::payload::{PAYLOAD, PAYLOAD_BYTES, PER_RETURNED_KIB, RETURNED_BYTES};
use crate::experiment::{EXPERIMENTS, Experiment, Levels, MEMORY, Point};
use crate::params::{ParamTable, PartFees};
use crate::text::listed;
use crate::units::Bytes;

/// What a call brings and returns, which whoever calls chooses and no module tells.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Passed {
    pub input: Option<Bytes>,
    pub output: Option<Bytes>,
}

/// What the parts take from a contract.
pub(super) struct Parted {
    pub fees: PartFees,
    /// Why those that take nothing refuse it.
    pub refused: Option<String>,
    /// What it declares beyond what the tables were measured with.
    pub extrapolated: Option<String>,
}

/// The tables of parts, and what a call passes.
pub(super) struct Parts {
    tables: Vec<(&'static Experiment, ParamTable)>,
    passed: Passed,
}

impl Parts {
    /// Reads the tables.
    ///
    /// # Errors
    /// A table is not there or cannot be read, prices nothing but a memory or what another one does, or an input is not given that is
    /// priced, or an input or output is given that is not.
    pub(super) fn read(files: &[impl AsRef<Path>], passed: Passed, session: &Session<'_>) -> Result<Self, Error> {
        let mut tables: Vec<(&Experiment, ParamTable)> = Vec::new();
        for file in files {
            let table = TableSource::from(file.as_ref()).told(session)?;
            let file = file.as_ref().display();
            let priced = EXPERIMENTS.into_iter().filter(|of| **of != MEMORY && table.prices(of)).collect::<Vec<_>>();
            let [experiment] = priced[..] else {
                return Err(Error::Usage(format!("{file} has no price of one part beside memory: name another table")));
            };
            if let Some(reason) = no_part(experiment) {
                return Err(Error::Usage(format!("{file} prices {experiment}: {reason}")));
            }
            if tables.iter().any(|(known, _)| *known == experiment) {
                return Err(Error::Usage(format!(
                    "{file} prices {experiment}, and so does a table before: leave one out"
                )));
            }
            tables.push((experiment, table));
        }
        let is_priced = tables.iter().any(|(experiment, _)| prices_payload(experiment));
        if !is_priced && (passed.input.is_some() || passed.output.is_some()) {
            let text = "--input and --output are for a part that prices a payload: name its table by --part";
            return Err(Error::Usage(text.into()));
        }
        if is_priced && passed.input.is_none() {
            let text =
                "a part prices the payload: say how large it is, --input BYTES, and what is returned, --output BYTES";
            return Err(Error::Usage(text.into()));
        }
        let lacks =
            |table: &ParamTable| table.prices(&PAYLOAD) && !table.params.contains_key(PER_RETURNED_KIB.parameter.name);
        if passed.output.is_some_and(|output| output.0 > 0) && tables.iter().any(|(_, table)| lacks(table)) {
            let text = format!(
                "the table of the payload has no `{}`: leave --output out, or measure the payload again",
                PER_RETURNED_KIB.parameter.name
            );
            return Err(Error::Usage(text));
        }
        Ok(Self { tables, passed })
    }

    /// Their names, in the order in which they were given.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.tables.iter().map(|(experiment, _)| experiment.name).collect()
    }

    /// What each takes from a contract.
    pub(super) fn of(&self, wasm: &[u8]) -> Parted {
        let (mut reasons, mut beyond): (Vec<String>, Vec<String>) = Default::default();
        let fee = |(experiment, table): &(&'static Experiment, ParamTable)| {
            let levels = self.levels(experiment, wasm).unwrap_or_else(|refused| {
                let reason = refused.to_string();
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
                None
            });
            let levels = levels.inspect(|levels| {
                let levels = table.beyond(levels);
                if !levels.is_empty() {
                    beyond.push(format!("{}: {}", experiment.name, listed(&levels)));
                }
            });
            let fee = levels.and_then(|levels| table.charge_of(&Point { levels, ..Point::default() }));
            (experiment.name, fee)
        };
        let fees = PartFees(self.tables.iter().map(fee).collect());
        let told = |all: Vec<String>| (!all.is_empty()).then(|| all.join("; "));
        Parted { fees, refused: told(reasons), extrapolated: told(beyond) }
    }

    /// An error where the module has a runtime do what no factor counts.
    fn levels(&self, experiment: &Experiment, wasm: &[u8]) -> Result<Option<Levels>, FactsError> {
        match levels_of(experiment, wasm) {
            Some(levels) => levels.map(Some),
            None => Ok(self.passed.levels(experiment)),
        }
    }
}

/// Why a priced experiment has no place in the bill of a call, and what shows what it takes.
fn no_part(experiment: &Experiment) -> Option<String> {
    let verified = "hold the contracts against it by `estimator verify`";
    if experiment.factors.contains(&&WORST_MIX) {
        return Some(format!("who brings a contract pays that, and no call does; {verified}"));
    }
    if experiment.factors.contains(&&ARTIFACT_BYTES) {
        return Some(format!("how large compiled code is only who compiles it knows; {verified}"));
    }
    let is_told = reads_levels(experiment) || prices_payload(experiment);
    (!is_told).then(|| "no module tells how much of it a call takes; its page in docs/ says how it is charged".into())
}

fn prices_payload(experiment: &Experiment) -> bool {
    experiment.factors.contains(&&PAYLOAD_BYTES)
}

impl Passed {
    /// The levels of a call with so much, where an experiment varies that.
    fn levels(self, experiment: &Experiment) -> Option<Levels> {
        let input = self.input.filter(|_| prices_payload(experiment))?;
        let output = self.output.unwrap_or_default();
        Some(Levels::default().with(&PAYLOAD_BYTES, input.0).with(&RETURNED_BYTES, output.0))
    }
}
