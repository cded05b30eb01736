//! What a table charges in time, to hold measured times against.

use super::{ParamTable, ParamsError};
use crate::experiment::{Column, Experiment, Point};
use crate::model::{Charges, Estimate};

/// What a call of each point of an experiment pays, in nanoseconds before the safety factor and before rounding.
///
/// # Errors
/// [`ParamsError::Param`] if the table does not price a term that some point has.
pub fn charges_before_safety(
    table: &ParamTable,
    experiment: &Experiment,
    points: &[Point],
) -> Result<Charges, ParamsError> {
    let measured = experiment.terms.iter().filter(|term| points.iter().any(|point| term.column.at(point) > 0));
    let columns =
        std::iter::once((&experiment.base, None)).chain(measured.map(|term| (&term.parameter, Some(term.column))));
    let priced = columns.map(|(parameter, column)| {
        let reason = || "the table does not have it".into();
        let missing = || ParamsError::Param { param: parameter.name.into(), reason: reason() };
        table.params.get(parameter.name).ok_or_else(missing).map(|param| (param, column))
    });
    let priced: Vec<_> = priced.collect::<Result<_, _>>()?;
    let charges = |nanos: &[Estimate]| {
        let charge = |point: &Point| {
            let level = |column: Option<Column>| column.map_or(1.0, |column| column.of(point));
            priced.iter().zip(nanos).map(|((_, column), nanos)| nanos.value * level(*column)).sum()
        };
        points.iter().map(charge).collect()
    };
    let absolute: Vec<Estimate> = priced.iter().map(|(param, _)| param.nanos).collect();
    let normalised: Option<Vec<Estimate>> = priced.iter().map(|(param, _)| param.normalised).collect();
    Ok(Charges { absolute: charges(&absolute), normalised: normalised.as_deref().map(charges) })
}
