//! What a table charges in time, to hold measured times against.

use super::{ParamTable, ParamsError};
use crate::experiment::{Experiment, Point};

/// What a call of each point of an experiment pays, in nanoseconds on the table's reference machine before the safety factor and
/// before rounding.
///
/// # Errors
/// [`ParamsError::Param`] if the table does not price what some point has and its chain charges for.
pub fn charges_before_safety(
    table: &ParamTable,
    experiment: &Experiment,
    points: &[Point],
) -> Result<Vec<f64>, ParamsError> {
    let needed = |name: &'static str| {
        let missing = || ParamsError::Param { param: name.into(), reason: "the table does not have it".into() };
        table.params.get(name).ok_or_else(missing)
    };
    let chain = &table.provenance.chain;
    for term in experiment.terms.iter().chain(&chain.terms).filter(|term| chain.charges_for(term)) {
        if points.iter().any(|point| term.level(point) > 0.0) {
            needed(term.parameter.name)?;
        }
    }
    let base = needed(experiment.base.name)?.nanos.value;
    let charge =
        |point: &Point| base + table.terms().map(|(term, param)| param.nanos.value * term.level(point)).sum::<f64>();
    Ok(points.iter().map(charge).collect())
}
