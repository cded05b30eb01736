//! Accepting a proposal: what speaks against it, and the change that it makes.

use std::path::Path;

use super::change::Change;
use super::diff::{ParamChange, diff};
use super::error::ParamsError;
use super::objection::{Objection, ObjectionKind};
use super::provenance::UNKNOWN_MACHINE;
use super::table::ParamTable;

/// What speaks against `proposed` in the place of `current`, apart from a rejected fit, which no table tells of, and from what
/// [`ParamTable::objections`] says of the table that comes out.
///
/// # Errors
///
/// [`ParamsError::Threshold`] as for [`diff`].
pub fn objections(current: &ParamTable, proposed: &ParamTable, threshold: f64) -> Result<Vec<Objection>, ParamsError> {
    let found = diff(current, proposed, threshold)?;
    let unsure = found.rows.iter().filter(|row| row.change == ParamChange::Unsure);
    let unsure: Vec<&str> = unsure.map(|row| row.name).collect();
    let (old, new) = (&current.provenance.run.machine, &proposed.provenance.run.machine);
    let same_run = current.provenance.run.run == proposed.provenance.run.run;
    let other = old != new || (new == UNKNOWN_MACHINE && !same_run);
    let machine = other.then(|| format!("measured on class {new}, the table in force on {old}"));
    let unsure = (!unsure.is_empty()).then(|| format!("{} may not have changed at all", unsure.join(", ")));
    let objection = |kind, reason: Option<String>| reason.map(|reason| Objection { kind, reason });
    let both = [objection(ObjectionKind::Unsure, unsure), objection(ObjectionKind::Machine, machine)];
    Ok(both.into_iter().flatten().collect())
}

/// How the note of an objection that was overridden begins.
pub const OVERRIDDEN: &str = "accepted although ";

/// How a note begins that tells of a run which did not measure every point.
pub const ONLY: &str = "only ";

/// How a note begins that tells of a machine whose run is not in an envelope.
pub const LEFT_OUT: &str = "left out, ";

/// Whether `current` is what came out when `proposed` was accepted, notes of overridden objections and all.
#[must_use]
pub fn is_in_force(proposed: &ParamTable, current: &ParamTable) -> bool {
    let mut accepted = proposed.clone();
    let notes = current.provenance.run.notes.iter().filter(|note| note.starts_with(OVERRIDDEN));
    let new = notes.filter(|note| !proposed.provenance.run.notes.contains(note)).cloned();
    accepted.provenance.run.notes.extend(new);
    accepted == *current
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
        table.provenance.run.notes.extend(told.iter().map(|objection| format!("{OVERRIDDEN}{objection}")));
    }
    let change = Change::between(current, &table)?;
    Ok((table, change))
}
