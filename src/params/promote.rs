//! Accepting a proposal: what speaks against it, and the change that it makes.

use std::path::Path;

use super::change::Change;
use super::diff::{ParamChange, diff};
use super::error::ParamsError;
use super::provenance::UNKNOWN_MACHINE;
use super::table::ParamTable;

/// Why a proposal should not be accepted without a second thought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// The fit behind it was rejected, for these reasons.
    Rejected(Vec<String>),
    /// These parameters moved beyond the threshold, and their measurements do not contradict the old ones.
    Unsure(Vec<String>),
    /// It was measured on a machine of another class, or of none.
    Machine {
        /// The class of the table in force.
        old: String,
        /// The class of the proposal.
        new: String,
    },
}

impl std::fmt::Display for Objection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rejected(reasons) => write!(f, "rejected: {}", reasons.join("; ")),
            Self::Unsure(names) => write!(f, "unsure: {} may not have changed at all", names.join(", ")),
            Self::Machine { old, new } => write!(f, "machine: measured on class {new}, the table in force on {old}"),
        }
    }
}

/// What speaks against `proposed` in the place of `current`, apart from a rejected fit, which no table tells of.
///
/// # Errors
///
/// [`ParamsError::Threshold`] as for [`diff`].
pub fn objections(current: &ParamTable, proposed: &ParamTable, threshold: f64) -> Result<Vec<Objection>, ParamsError> {
    let found = diff(current, proposed, threshold)?;
    let unsure = found.rows.iter().filter(|row| row.change == ParamChange::Unsure);
    let unsure: Vec<String> = unsure.map(|row| row.name.to_owned()).collect();
    let (old, new) = (&current.provenance.run.machine, &proposed.provenance.run.machine);
    let same_run = current.provenance.run.run == proposed.provenance.run.run;
    let machine = (old != new || (new == UNKNOWN_MACHINE && !same_run))
        .then(|| Objection::Machine { old: old.clone(), new: new.clone() });
    Ok((!unsure.is_empty()).then_some(Objection::Unsure(unsure)).into_iter().chain(machine).collect())
}

/// The table that comes out when the change from `base` to `proposed` is made to `current`, and the change itself.
///
/// `told` are objections that were overridden; they become notes of the table. `file` is the table in force, for errors.
///
/// # Errors
///
/// [`ParamsError::OldMismatch`], [`ParamsError::OldMissing`] and [`ParamsError::OldUnexpected`] if `current` is not what
/// `base` says it is.
pub fn promote(
    base: Option<&ParamTable>,
    proposed: &ParamTable,
    current: Option<&ParamTable>,
    told: &[String],
    file: &Path,
) -> Result<(ParamTable, Change), ParamsError> {
    let reviewed = Change::between(base, proposed)?;
    let mut table = reviewed.apply(current, file)?;
    if !reviewed.is_empty() {
        table.provenance.run.notes.extend(told.iter().map(|objection| format!("accepted although {objection}")));
    }
    let change = Change::between(current, &table)?;
    Ok((table, change))
}
